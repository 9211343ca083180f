/* global SwaggerUIBundle */

// The document has one server, which also serves this page, so there is nothing to choose.
const oneServer = { components: { ServersContainer: () => null } };

/** Returns the names of the scopes that partner operations need. */
function partnerScopes({ specSelectors }) {
  const { paths } = specSelectors.specJson().toJS();
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter(({ tags }) => tags && !tags.includes('Operator'))
    .flatMap(({ security }) => security.flatMap((scheme) => Object.values(scheme).flat()));
}

// "Select all" omits the operator's scope, because an authorization server refuses it to a partner. Its checkbox still works.
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

// By default, the dialog focuses its last field, which is for a token from elsewhere.
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
  // The page keeps a token only in memory.
  persistAuthorization: false,
  // The page sends the document to no validation service.
  validatorUrl: null,
});
