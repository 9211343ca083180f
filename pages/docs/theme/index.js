import { withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { defineAsyncComponent, h } from 'vue';
import { useGuides } from './guides.js';
import './style.css';
import './tables.css';
import './print.css';

const licenses = () =>
  h('p', { class: 'site-licenses' }, h('a', { href: withBase('/SITE-LICENSES.txt'), target: '_self' }, 'Licenses'));

/** Links to an operation had the form `/docs#/Passes/issuePass` before the reference became a page of its own. */
function leaveOldAddress() {
  const { location } = globalThis;
  if (location?.hash.startsWith('#/') && location.pathname === withBase('/')) {
    location.replace(`${withBase('/reference')}${location.hash}`);
  }
}

const Layout = {
  setup() {
    useGuides();
    return () => h(DefaultTheme.Layout, undefined, { 'sidebar-nav-after': licenses });
  },
};

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    leaveOldAddress();
    app.component(
      'Reference',
      defineAsyncComponent(() => import('./reference.js')),
    );
  },
};
