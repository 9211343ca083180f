/* global SwaggerUIBundle */

// There is one server: the one that the page comes from.
const oneServer = { components: { ServersContainer: () => null } };

/** The names of the scopes that a partner's operations need. */
function partnerScopes({ specSelectors }) {
  const { paths } = specSelectors.specJson().toJS();
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter(({ tags }) => tags && !tags.includes('Operator'))
    .flatMap(({ security }) => security.flatMap((scheme) => Object.values(scheme).flat()));
}

// An authorization server refuses a client that asks for the operator's scope too. The checkbox still selects it.
const selectAllOfPartner = {
  wrapComponents: {
    oauth2: (OAuth2, system) =>
      class extends OAuth2 {
        constructor(props, context) {
          super(props, context);
          const select = this.selectScopes;
          this.selectScopes = (event) => {
            select(event);
            const selectable = partnerScopes(system);
            this.setState(({ scopes }) => ({ scopes: scopes.filter((scope) => selectable.includes(scope)) }));
          };
        }
      },
  },
};

// By itself, the dialog focuses its last field, which is for a token from elsewhere.
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

SwaggerUIBundle({
  url: 'openapi.json',
  domNode: document.querySelector('#viewer'),
  plugins: [oneServer, selectAllOfPartner, focusOnFirstField],
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // A token lives as long as the page: nothing of it is stored.
  persistAuthorization: false,
  // Nobody else is asked whether the document is valid.
  validatorUrl: null,
});
