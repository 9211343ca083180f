/** Code for each operation of the API reference, from the document of the deployment. */

/** Replaces `{name}` in the path by the example of the parameter. */
function pathOf(path, parameters) {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return parameter?.example ?? parameter?.schema?.enum?.[0] ?? name;
  });
}

/** Returns the first example of the body; undefined if the operation takes none. */
function bodyOf({ requestBody }) {
  const content = requestBody?.content?.['application/json'];
  return content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
}

function curlOf(operation, path, method) {
  const verb = method.toUpperCase();
  const body = bodyOf(operation);
  const needsToken = operation.security?.length > 0;
  const lines = [
    `curl${verb === 'GET' || (verb === 'POST' && body !== undefined) ? '' : ` -X ${verb}`} "$GATEPASS_URL${pathOf(path, operation.parameters ?? [])}"`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]),
  ];
  return lines.join(' \\\n  ');
}

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const KEY = `{\n  chain: { type: 'ethereum', network: 'sepolia' },\n  walletAddress: '${WALLET}',\n}`;
const PYTHON_KEY = `"ethereum", "sepolia", "${WALLET}"`;

/** The start of the code in each language: how to install, and the client. The code in TypeScript is JavaScript too. */
const STARTS = {
  TypeScript: `// npm install "$GATEPASS_URL/downloads/gatepass-client.tgz"
import { createGatepass } from '@gatepass/client';

const { GATEPASS_URL = '', GATEPASS_TOKEN_URL = '', GATEPASS_CLIENT_ID = '', GATEPASS_CLIENT_SECRET = '' } = process.env;
const gatepass = createGatepass({
  baseUrl: GATEPASS_URL,
  credentials: { tokenUrl: GATEPASS_TOKEN_URL, clientId: GATEPASS_CLIENT_ID, clientSecret: GATEPASS_CLIENT_SECRET },
});
`,
  Python: `# curl -fsSO "$GATEPASS_URL/downloads/gatepass.py"
from os import environ as env
from gatepass import Credentials, Gatepass

credentials = Credentials(env["GATEPASS_TOKEN_URL"], env["GATEPASS_CLIENT_ID"], env["GATEPASS_CLIENT_SECRET"])
gatepass = Gatepass(env["GATEPASS_URL"], credentials)
`,
  Command: '# npm install --global "$GATEPASS_URL/downloads/gatepass-cli.tgz" && gatepass login',
};

/** The same with the client, the module for Python and the command, where they have the operation. */
const OTHERS = {
  issuePass: {
    TypeScript: `const pass = await gatepass.issue(${KEY});`,
    Python: `record = gatepass.issue(${PYTHON_KEY})`,
    Command: `gatepass issue ${WALLET} --network sepolia`,
  },
  getPass: {
    TypeScript: `const pass = await gatepass.get(${KEY});`,
    Python: `record = gatepass.get(${PYTHON_KEY})`,
    Command: `gatepass get ${WALLET}`,
  },
  searchPasses: {
    TypeScript: "for await (const pass of gatepass.passes({ state: 'ACTIVE' })) console.log(pass.walletAddress);",
    Python: 'for record in gatepass.search({"state": "ACTIVE"}):\n    print(record["walletAddress"])',
    Command: 'gatepass search --state ACTIVE',
  },
  updatePass: {
    TypeScript: `const pass = await gatepass.update(${KEY}, { state: 'FROZEN' });`,
    Python: `record = gatepass.update(${PYTHON_KEY}, state="FROZEN")`,
    Command: `gatepass freeze ${WALLET} --network sepolia`,
  },
  revokePass: {
    TypeScript: `const pass = await gatepass.revoke(${KEY});`,
    Python: `record = gatepass.revoke(${PYTHON_KEY})`,
    Command: `gatepass revoke ${WALLET} --network sepolia`,
  },
  listEvents: {
    TypeScript:
      'for await (const event of gatepass.events({ follow: false })) console.log(event.sequence, event.type);',
    Python: 'for event in gatepass.events(follow=False):\n    print(event["sequence"], event["type"])',
    Command: 'gatepass events',
  },
  getUsage: { TypeScript: 'const usage = await gatepass.usage();', Command: 'gatepass usage' },
  listAudit: { Command: 'gatepass audit' },
  listWebhooks: { Command: 'gatepass webhooks list' },
};

/** Returns the code of an operation by the name of its tab. The first tab is curl. */
export function samplesOf(operation, path, method) {
  const others = Object.entries(OTHERS[operation.operationId] ?? {}).map(([tab, code]) => [
    tab,
    `${STARTS[tab]}\n${code}`,
  ]);
  return { curl: curlOf(operation, path, method), ...Object.fromEntries(others) };
}
