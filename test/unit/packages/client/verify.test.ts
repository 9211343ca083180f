import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  GatepassError,
  GatepassProblem,
  GatepassUnreachable,
  signedVerdict,
  VerdictNotSigned,
  verify,
} from '../../../../packages/client/src/gatepass.ts';

/** The public check of the client, which needs no credentials. */

const PASS = {
  baseUrl: 'https://api.example/v1/',
  gatekeeperNetwork: 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf',
  chain: { type: 'ethereum', network: 'sepolia' },
  walletAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
} as const;
const VALID = { valid: true, state: 'ACTIVE', asOf: 1_795_172_625 };

/** Returns the options with a `fetch` that gives these answers in sequence, and the requests. */
function withAnswers(...answers: (Response | 'break')[]) {
  const requests: { url: string; headers: HeadersInit | undefined; method: string | undefined }[] = [];
  const fetch = async (url: string, { headers, method }: RequestInit) => {
    requests.push({ url, headers, method });
    const answer = answers.shift();
    if (answer === undefined || answer === 'break') throw new TypeError('the connection broke');
    return answer;
  };
  return { requests, options: { ...PASS, fetch } };
}

const problem = (status: number, code: string) =>
  Response.json({ code, detail: 'a detail', requestId: 'a' }, { status, headers: { 'retry-after': '0' } });

describe('verify', () => {
  it('sends one GET without headers in a page, so that a browser sends no preflight', async () => {
    vi.stubGlobal('document', {});
    onTestFinished(() => void vi.unstubAllGlobals());
    const { options, requests } = withAnswers(Response.json(VALID));
    expect(await verify(options)).toEqual(VALID);
    const url = `https://api.example/v1/verify/${PASS.gatekeeperNetwork}/ethereum/sepolia/${PASS.walletAddress}`;
    expect(requests).toEqual([{ url, headers: {}, method: 'GET' }]);
  });

  it('demands how far the service has followed the chain, and throws if it has not', async () => {
    const { options, requests } = withAnswers(Response.json(VALID), problem(503, 'not_fresh_enough'));
    expect(await verify({ ...options, maxAge: 60 })).toEqual(VALID);
    const old = verify({ ...options, maxAge: 60, retries: { times: 0 } });
    await expect(old).rejects.toMatchObject({ code: 'not_fresh_enough' });
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?maxAge=60', '?maxAge=60']);
  });

  it('encodes what belongs to no path', async () => {
    const { options, requests } = withAnswers(Response.json(VALID));
    await verify({ ...options, walletAddress: '../../usage?x' });
    expect(requests[0]?.url).toContain('/sepolia/..%2F..%2Fusage%3Fx');
  });

  it.each([
    ['a refusal', [problem(404, 'not_found')], GatepassProblem],
    ['another answer than that of the service', [Response.json({ ok: true })], GatepassProblem],
    ['an answer whose valid is no truth value', [Response.json({ ...VALID, valid: 'yes' })], GatepassProblem],
    ['a page', [new Response('<html>')], GatepassProblem],
    ['no answer', ['break', 'break', 'break'], GatepassUnreachable],
  ] as const)('throws for %s, so that no wallet counts as verified', async (_, answers, error) => {
    const { options } = withAnswers(...answers);
    await expect(verify({ ...options, retries: { times: 0 } })).rejects.toBeInstanceOf(error);
  });

  it('tries again after a fault of the service', async () => {
    const { options, requests } = withAnswers(problem(503, 'temporarily_unavailable'), Response.json(VALID));
    expect(await verify(options)).toEqual(VALID);
    expect(requests).toHaveLength(2);
  });

  it('refuses a base URL that is none', async () => {
    await expect(verify({ ...PASS, baseUrl: 'api.example' })).rejects.toThrow(GatepassError);
  });
});

describe('signedVerdict', () => {
  const CONTRACT = '0xbD2aAF5cbB58AB5Cd6aAB72Fa1BA2FBB0Fb0E1C4';
  const SLOT = 2n ** 256n - 1n;
  const VERDICT = {
    domain: { name: 'Gatepass verdict', version: '1', chainId: 8453, verifyingContract: CONTRACT },
    types: { PassVerdict: [{ name: 'wallet', type: 'address' }] },
    primaryType: 'PassVerdict',
    message: {
      passChainId: 11_155_111,
      gateway: CONTRACT,
      gatekeeperNetwork: String(SLOT),
      wallet: PASS.walletAddress,
      issuedAt: VALID.asOf,
      notAfter: VALID.asOf + 600,
    },
    signature: `0x${'5b'.repeat(65)}`,
  };
  const asked = { chainId: 8453, verifyingContract: CONTRACT };

  it('returns the numbers as a contract call of viem takes them', async () => {
    const { options, requests } = withAnswers(Response.json({ ...VALID, verdict: VERDICT }));
    expect(await signedVerdict({ ...options, ...asked, maxAge: 60 })).toEqual({
      ...VERDICT,
      message: {
        ...VERDICT.message,
        passChainId: 11_155_111n,
        gatekeeperNetwork: SLOT,
        issuedAt: BigInt(VALID.asOf),
        notAfter: BigInt(VALID.asOf + 600),
      },
    });
    const [{ url = '' } = {}] = requests;
    expect(new URL(url).search).toBe(`?maxAge=60&signed=1&chainId=8453&verifyingContract=${CONTRACT}`);
  });

  it.each([
    [{ valid: false, notSigned: { code: 'frozen', detail: 'The pass is frozen.' } }, 'frozen', 'The pass is frozen.'],
    // A cache in between, or an older release, does not know the parameter.
    [{}, 'unknown', 'the service has signed nothing'],
    [{ valid: false, verdict: VERDICT }, 'unknown', 'the service has signed nothing'],
  ])('throws if there is no signature on a valid pass: %o', async (answer, code, message) => {
    const { options } = withAnswers(Response.json({ ...VALID, ...answer }));
    const refusal = await signedVerdict({ ...options, ...asked }).catch((fault: unknown) => fault);
    expect(refusal).toBeInstanceOf(VerdictNotSigned);
    expect(refusal).toMatchObject({ code, message, verification: { ...VALID, ...answer } });
  });

  it('throws the refusal of the service', async () => {
    const { options } = withAnswers(problem(400, 'verdicts_not_enabled'));
    await expect(signedVerdict({ ...options, ...asked })).rejects.toMatchObject({ code: 'verdicts_not_enabled' });
  });
});
