import { useData, withBase } from 'vitepress';
import { h, onBeforeUnmount, onMounted, ref, watch } from 'vue';
import { viewerPlugins } from './viewer-plugins.js';
import './reference.css';

/** The API reference: Swagger UI with the operations of partners, in the design of the site. */

/** Loads a script or a style of the site once. */
function load(tag, attributes) {
  return new Promise((resolve, reject) => {
    const [[name, value]] = Object.entries(attributes);
    if (document.querySelector(`${tag}[${name}="${value}"]`) !== null) return resolve();
    const element = Object.assign(document.createElement(tag), attributes, { onload: resolve, onerror: reject });
    element.setAttribute(name, value);
    document.head.append(element);
  });
}

/** Swagger UI names no list of values, and no part that scrolls can get the focus. */
function makeAccessible(viewer) {
  for (const list of viewer.querySelectorAll('select:not([aria-label])')) {
    const parameter = list.closest('tr[data-param-name]')?.dataset.paramName;
    const other = list.classList.contains('examples-select-element') ? 'Example' : 'Media type';
    list.setAttribute('aria-label', parameter ?? other);
  }
  for (const part of viewer.querySelectorAll('pre:not([tabindex])')) part.tabIndex = 0;
}

/** Resolves to the viewer's handle once it has the document. */
async function show(viewer) {
  const [response] = await Promise.all([
    fetch(withBase('/../openapi.json')),
    load('link', { href: withBase('/swagger-ui.css'), rel: 'stylesheet' }),
    load('script', { src: withBase('/swagger-ui-bundle.js') }),
  ]);
  if (!response.ok) throw new Error(`openapi.json: ${response.status}`);
  return globalThis.SwaggerUIBundle({
    spec: await response.json(),
    domNode: viewer,
    plugins: viewerPlugins,
    deepLinking: true,
    docExpansion: 'list',
    // Its colors are readable on its background.
    syntaxHighlight: { theme: 'tomorrow-night' },
    filter: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    // The page keeps a token only in memory.
    persistAuthorization: false,
    // The page sends the document to no validation service.
    validatorUrl: null,
  });
}

export default {
  setup() {
    const { isDark } = useData();
    const viewer = ref();
    const fault = ref('');
    const showTheme = (dark) => document.documentElement.classList.toggle('dark-mode', dark);
    const observer = ref();
    let shownViewer;
    /** A link of the sidebar changes only the address, as `#/Passes/issuePass`. */
    const openOperation = () => {
      shownViewer?.getSystem().layoutActions.parseDeepLinkHash(location.hash);
      const [, tag, operation] = location.hash.split('/');
      document.getElementById(`operations-${tag}-${operation}`)?.scrollIntoView();
    };
    watch(isDark, showTheme);
    onMounted(() => {
      observer.value = new MutationObserver(() => makeAccessible(viewer.value));
      observer.value.observe(viewer.value, { childList: true, subtree: true });
      showTheme(isDark.value);
      globalThis.addEventListener('hashchange', openOperation);
      show(viewer.value).then(
        (shown) => {
          shownViewer = shown;
        },
        () => {
          fault.value = 'The reference could not be loaded. Try again, or read openapi.json.';
        },
      );
    });
    onBeforeUnmount(() => {
      observer.value?.disconnect();
      globalThis.removeEventListener('hashchange', openOperation);
      showTheme(false);
    });
    return () =>
      h('div', { class: 'reference vp-raw' }, [
        h('p', { role: 'alert', class: 'fault' }, fault.value),
        h('div', { ref: viewer }),
        h('p', { class: 'licenses' }, [
          h('a', { href: withBase('/../openapi.json'), target: '_self' }, 'openapi.json'),
          ' · shown with Swagger UI (',
          h('a', { href: withBase('/LICENSE.txt'), target: '_self' }, 'license'),
          ', ',
          h('a', { href: withBase('/NOTICE.txt'), target: '_self' }, 'notice'),
          ', ',
          h('a', { href: withBase('/swagger-ui-bundle.js.LICENSE.txt'), target: '_self' }, 'licenses of its libraries'),
          ')',
        ]),
      ]);
  },
};
