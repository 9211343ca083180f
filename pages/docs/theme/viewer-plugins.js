import { samplesOf } from './samples.js';

/** The changes of Swagger UI for the reference. Its components are those of React, which the system brings. */

/** The document has one server, which also serves this page, so there is nothing to choose. The title is the page's. */
const lessAround = { components: { ServersContainer: () => null, InfoContainer: () => null } };

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
      (Responses, { React, specSelectors }) =>
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
          resolved && React.createElement(Samples, { React, samples: samplesOf(resolved, path, method) }),
          React.createElement(Responses, props),
        );
      },
  },
};

const resolve = (parameter, specSelectors) =>
  parameter.$ref === undefined
    ? parameter
    : (specSelectors.specJson().getIn(parameter.$ref.replace('#/', '').split('/'))?.toJS() ?? parameter);

function Samples({ React, samples }) {
  const names = Object.keys(samples);
  const [chosen, choose] = React.useState(names[0]);
  const tab = (name) =>
    React.createElement(
      'button',
      { type: 'button', role: 'tab', key: name, 'aria-selected': name === chosen, onClick: () => choose(name) },
      name,
    );
  return React.createElement(
    'section',
    { className: 'samples', 'aria-label': 'Code' },
    React.createElement('div', { role: 'tablist', className: 'sample-tabs' }, names.map(tab)),
    React.createElement(
      'button',
      {
        type: 'button',
        className: 'copy-sample',
        onClick: () => navigator.clipboard?.writeText(samples[chosen]),
      },
      'Copy',
    ),
    React.createElement('pre', { tabIndex: 0 }, React.createElement('code', undefined, samples[chosen])),
  );
}

export const viewerPlugins = [lessAround, noLinkInButton, focusOnFirstField, codeSamples];
