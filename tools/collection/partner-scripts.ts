import type { Event } from './postman-collection.ts';

/** Runs before each request with a partner's token. Fetches a token, unless the stored one is for this client and still valid. */
const FETCH_TOKEN = `
const setting = (name) => pm.variables.get(name) || '';
const client = setting('tokenUrl') + ' ' + setting('clientId');
const serves = setting('tokenOf') === client && Number(setting('tokenUntil')) > Date.now();
if (setting('clientId') && !serves) {
  const form = {
    grant_type: 'client_credentials',
    client_id: setting('clientId'),
    client_secret: setting('clientSecret'),
    audience: setting('audience'),
    scope: setting('scope'),
  };
  const urlencoded = Object.entries(form).filter(([, value]) => value).map(([key, value]) => ({ key, value }));
  const request = { url: setting('tokenUrl'), method: 'POST', body: { mode: 'urlencoded', urlencoded } };
  pm.sendRequest(request, (error, response) => {
    pm.test('The authorization server issues a token', () => {
      pm.expect(error, String(error)).to.equal(null);
      pm.expect(response.code, response.text()).to.equal(200);
      const { access_token, expires_in = 0 } = response.json();
      pm.collectionVariables.set('accessToken', access_token);
      pm.collectionVariables.set('tokenOf', client);
      pm.collectionVariables.set('tokenUntil', String(Date.now() + (expires_in - 60) * 1000));
    });
  });
}
`;

/** Runs after each request. Keeps the bookmark, so that the next response is at least as new as this one. */
const KEEP_BOOKMARK = `
const bookmark = pm.response.headers.get('Gatepass-Bookmark');
if (bookmark) pm.collectionVariables.set('bookmark', bookmark);
`;

export const PARTNER_EVENTS: Event[] = [
  { listen: 'prerequest', script: { type: 'text/javascript', exec: FETCH_TOKEN.trim().split('\n') } },
  { listen: 'test', script: { type: 'text/javascript', exec: KEEP_BOOKMARK.trim().split('\n') } },
];
