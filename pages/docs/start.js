/* global SwaggerUIBundle */

// There is one server: the one that the page comes from.
const oneServer = { components: { ServersContainer: () => null } };

SwaggerUIBundle({
  url: 'openapi.json',
  domNode: document.querySelector('#viewer'),
  plugins: [oneServer],
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
