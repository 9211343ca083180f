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
const KEY = `const chain = { type: 'ethereum', network: 'sepolia' } as const;\nconst key = { chain, walletAddress: '${WALLET}' };\n`;
const PYTHON_KEY = `"ethereum", "sepolia", "${WALLET}"`;

/** The same with the client, the module for Python and the command, where they have the operation. */
const OTHERS = {
  issuePass: {
    TypeScript: `${KEY}const pass = await gatepass.issue(key);`,
    Python: `record = gatepass.issue(${PYTHON_KEY})`,
    Command: `gatepass issue ${WALLET} --network sepolia`,
  },
  getPass: {
    TypeScript: `${KEY}const pass = await gatepass.get(key);`,
    Python: `record = gatepass.get(${PYTHON_KEY})`,
    Command: `gatepass get ${WALLET}`,
  },
  searchPasses: {
    TypeScript: "for await (const pass of gatepass.passes({ state: 'ACTIVE' })) console.log(pass.walletAddress);",
    Python: 'for record in gatepass.search({"state": "ACTIVE"}):\n    print(record["walletAddress"])',
    Command: 'gatepass search --state ACTIVE',
  },
  updatePass: {
    TypeScript: `${KEY}const pass = await gatepass.update(key, { state: 'FROZEN' });`,
    Python: `record = gatepass.update(${PYTHON_KEY}, state="FROZEN")`,
    Command: `gatepass freeze ${WALLET} --network sepolia`,
  },
  revokePass: {
    TypeScript: `${KEY}const pass = await gatepass.revoke(key);`,
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
  return { curl: curlOf(operation, path, method), ...OTHERS[operation.operationId] };
}
