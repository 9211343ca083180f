import { chooseTab, chosenTab, onTabChosen } from './chosen-tab.js';
import { samplesOf } from './samples.js';

/** The changes of Swagger UI for the reference. Its components are those of React, which the system brings. */

/** The document has one server, which also serves this page, so there is nothing to choose. The title is the page's. */
const lessAround = { components: { ServersContainer: () => null, InfoContainer: () => null } };

/** Its command for curl would be a second one, with the token that the page holds. */
const noSecondCode = { components: { curl: () => null } };

/** A link inside the button that opens an operation is no help with a keyboard. The address of the page changes without it. */
const noLinkInButton = {
  wrapComponents: {
    DeepLink:
      (_, { React }) =>
      ({ text }) =>
        React.createElement('span', undefined, text),
  },
};

/** By default, the dialog focuses its last field, which is for a token from elsewhere. */
const focusOnFirstField = {
  wrapComponents: {
    authorizationPopup: (Popup) =>
      class extends Popup {
        componentDidMount() {
          super.componentDidMount?.();
          document.querySelector('.dialog-ux input:enabled')?.focus();
        }
      },
  },
};

/** Shows code for the operation above its responses. */
const codeSamples = {
  wrapComponents: {
    responses:
      (Responses, { React, specSelectors, getComponent, syntaxHighlighting }) =>
      (props) => {
        const { path, method } = props;
        const operation = specSelectors.specJson().getIn(['paths', path, method])?.toJS();
        const resolved = operation && {
          ...operation,
          parameters: operation.parameters?.map((parameter) => resolve(parameter, specSelectors)),
        };
        return React.createElement(
          React.Fragment,
          undefined,
          resolved &&
            React.createElement(Samples, {
              React,
              Code: getComponent('SyntaxHighlighter', true),
              colors: readableColors(syntaxHighlighting.styles['tomorrow-night']),
              id: `${method}${path}`.replaceAll(/\W+/g, '-'),
              samples: samplesOf(resolved, path, method),
            }),
          React.createElement(Responses, props),
        );
      },
  },
};

const resolve = (parameter, specSelectors) =>
  parameter.$ref === undefined
    ? parameter
    : (specSelectors.specJson().getIn(parameter.$ref.replace('#/', '').split('/'))?.toJS() ?? parameter);

/** The languages by the name of the tab. The viewer has no colors for Python, whose strings and numbers look like those of JavaScript. */
const LANGUAGES = { TypeScript: 'javascript', Python: 'javascript' };

/** The index of the tab that gets the focus after a key. */
const NEXT = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Its red is too dark for the backgrounds of both themes. */
const readableColors = (style) =>
  Object.fromEntries(
    Object.entries(style).map(([name, rules]) => [
      name,
      rules.color === '#cc6666' ? { ...rules, color: '#f2a3a3' } : rules,
    ]),
  );

function Samples({ React, Code, colors, id, samples }) {
  const names = Object.keys(samples);
  const [wanted, want] = React.useState(chosenTab);
  const chosen = names.includes(wanted) ? wanted : names[0];
  React.useEffect(() => onTabChosen(want), []);
  const move = (event) => {
    const index = NEXT[event.key]?.(names.indexOf(chosen), names.length);
    if (index === undefined) return;
    event.preventDefault();
    chooseTab(names[index]);
    event.currentTarget.children[index].focus();
  };
  const tab = (name) =>
    React.createElement(
      'button',
      {
        type: 'button',
        role: 'tab',
        key: name,
        id: `${id}-${name}`,
        'aria-controls': `${id}-code`,
        'aria-selected': name === chosen,
        tabIndex: name === chosen ? 0 : -1,
        onClick: () => chooseTab(name),
      },
      name,
    );
  const code = {
    language: LANGUAGES[chosen] ?? 'bash',
    className: 'microlight',
    children: samples[chosen],
    syntaxHighlighting: { defaultStyle: colors },
  };
  return React.createElement(
    'section',
    { className: 'samples', 'aria-label': 'Code' },
    React.createElement('div', { role: 'tablist', className: 'sample-tabs', onKeyDown: move }, names.map(tab)),
    React.createElement(
      'button',
      {
        type: 'button',
        className: 'copy-sample',
        onClick: () => navigator.clipboard?.writeText(samples[chosen]),
      },
      'Copy',
    ),
    React.createElement(
      'div',
      { role: 'tabpanel', id: `${id}-code`, 'aria-labelledby': `${id}-${chosen}` },
      React.createElement(Code, {
        ...code,
        renderPlainText: () => React.createElement('pre', undefined, samples[chosen]),
      }),
    ),
  );
}

export const viewerPlugins = [lessAround, noSecondCode, noLinkInButton, focusOnFirstField, codeSamples];
