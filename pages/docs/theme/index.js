import { withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { defineAsyncComponent, h } from 'vue';
import './style.css';

const licenses = () =>
  h('p', { class: 'site-licenses' }, h('a', { href: withBase('/SITE-LICENSES.txt'), target: '_self' }, 'Licenses'));

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, undefined, { 'sidebar-nav-after': licenses }),
  enhanceApp({ app }) {
    app.component(
      'Reference',
      defineAsyncComponent(() => import('./reference.js')),
    );
  },
};
