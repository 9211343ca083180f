import { createGatepass, type Gatepass, type PassKey } from '../../../../../packages/client/src/gatepass.ts';

interface Env {
  readonly GATEPASS_URL: string;
  readonly GATEPASS_TOKEN_URL: string;
}

/** One client serves all requests, so that they share the token. */
let gatepass: Gatepass | undefined;

export default {
  async fetch(request: Request, { GATEPASS_URL: baseUrl, GATEPASS_TOKEN_URL: tokenUrl }: Env): Promise<Response> {
    gatepass ??= createGatepass({ baseUrl, credentials: { tokenUrl, clientId: 'acme', clientSecret: 'acme-secret' } });
    return Response.json(await gatepass.issueAndWait((await request.json()) as PassKey));
  },
};
