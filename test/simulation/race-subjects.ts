/** Plays races of issuances for one subject, of which a rule allows one, and says what is wrong in them. Run by `subjects.test.ts`. */
import './platform/isolate.ts';

const { CHAIN_OF, NETWORKS, WALLETS } = await import('./world/networks.ts');
const { clientAt } = await import('./world/identities.ts');
const { Chance } = await import('./platform/chance.ts');
const { World } = await import('./world/world.ts');
type Asked = import('./world/requests.ts').Asked;
type WorldType = import('./world/world.ts').World;
type WorkerModule = import('./platform/platform.ts').WorkerModule;
type StoredPass = import('../../src/pass-object/stored-pass.ts').StoredPass;

const worker = (await import('../../src/worker.ts')) as unknown as WorkerModule;
const { isSettled } = await import('../../src/pass/next-step.ts');
const { countsForSubject } = await import('../../src/pass/requests.ts');

const SUBJECT = 'person/1';
const CRASHING = ['SUBJECTS', 'SUBJECTS', 'PASSES', 'QUOTAS'] as const;
/** A call without an answer can no longer arrive by then, and the Worker asks its database and its issuer again. */
const OVER_SECONDS = 100;
const RETRIES = 6;
const LATER_SECONDS = 20;

/** A subject that dies often does so this often among that many tasks of the platform, with which two to eight requests begin. */
const DEATHS = 6;
const DEATHS_TASKS = 400;

/** The races of a kind end in another way. */
const KINDS = ['issue', 'issue', 'freeze', 'revoke', 'unfreeze'] as const;
type Kind = (typeof KINDS)[number];

const passesOf = ({ platform }: WorldType) =>
  platform.namespaces.PASSES.all.flatMap(({ storage }) => {
    const stored = storage.kv.get('pass') as StoredPass | undefined;
    return stored?.pass.subject === SUBJECT ? [stored.pass] : [];
  });

/** Returns the passes that are valid or may become so. */
const countingOf = (world: WorldType) =>
  passesOf(world).filter((pass) => countsForSubject(pass, Math.floor(world.now / 1_000)));

const isSubjectChanged = ({ platform }: WorldType) =>
  platform.namespaces.SUBJECTS.all.some(({ storage }) => storage.kv.get('subject') !== undefined);

const codeOf = ({ answer }: Asked) => (answer as { readonly code?: string } | undefined)?.code;
const isAccepted = ({ status }: Asked) => status === 202;

/** Plays a race, and returns what is wrong in it. */
async function race(seed: number): Promise<string[]> {
  const chance = new Chance(seed);
  const kind = KINDS[seed % KINDS.length] as Kind;
  const world = new World(worker, { seed, keys: 1, endpoints: 1, networks: NETWORKS });
  const { platform, crashes, weather, requests } = world;
  const { id: client, gatekeeperNetwork } = clientAt(0);
  const faults: string[] = [];
  /** Lets time pass, and looks at the passes again and again. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      await world.pass(1);
      const { length } = countingOf(world);
      if (length > 1) faults.push(`${length} passes of the subject count`);
    }
  };
  const count = 2 + chance.below(7);
  const wallets = NETWORKS.flatMap((network) => WALLETS[network].map((walletAddress) => ({ network, walletAddress })));
  const first = chance.below(wallets.length);
  const issue = (index: number) => {
    const { network, walletAddress } = wallets[(first + index) % wallets.length] as (typeof wallets)[number];
    return requests.ask(client, 'POST', `/pass/${CHAIN_OF[network]}/${network}`, { walletAddress, subject: SUBJECT });
  };
  const change = (state: string) =>
    requests.ask(client, 'PATCH', `/subjects/${encodeURIComponent(SUBJECT)}`, { state });
  try {
    platform.databases.DB?.write(
      'UPDATE gatekeeper_networks SET rules = ? WHERE key = ?',
      JSON.stringify({ subjectMaxPasses: 1 }),
      gatekeeperNetwork,
    );
    // A pass that no longer counts, so that the subject has to ask it.
    const isAfterAnother = chance.happens(0.5);
    if (isAfterAnother) {
      const { path, body } = issue(wallets.length - 1);
      await pass(LATER_SECONDS);
      requests.ask(client, 'DELETE', `${path}/${(body as { walletAddress: string }).walletAddress}`);
      // It counts until the chain has its end.
      for (let tries = 0; tries < RETRIES && (tries === 0 || !passesOf(world).every(isSettled)); tries += 1)
        await pass(LATER_SECONDS);
    }
    const share = () => [0, 0.1, 0.3][chance.below(3)] ?? 0;
    // Its calls arrive after it has started again.
    const diesOften = chance.happens(0.5);
    weather.probabilities = {
      ...weather.probabilities,
      loss: diesOften ? 0 : share(),
      delay: diesOften ? 0.8 : share(),
      lateAlarm: share(),
      doubledAlarm: share(),
    };
    const binding = CRASHING[chance.below(CRASHING.length)] as (typeof CRASHING)[number];
    for (let n = 0; n < chance.below(4); n += 1) crashes.crashAfter(20 + chance.below(400), binding, chance.below(8));
    for (let n = 0; diesOften && n < DEATHS; n += 1) crashes.crashAfter(chance.below(DEATHS_TASKS), 'SUBJECTS', 0);
    if (!diesOften && chance.happens(0.2)) weather.awayUntil.set('PASSES', world.now + 20_000);
    const asked: Asked[] = [];
    const changed: Asked[] = [];
    for (let index = 0; index < count; index += 1) {
      asked.push(issue(index));
      if (kind !== 'issue' && index === count >> 1) changed.push(change(kind === 'revoke' ? 'REVOKED' : 'FROZEN'));
      if (chance.happens(0.3)) await world.pass(chance.below(3));
    }
    await pass(LATER_SECONDS);
    // The partner tries again what has got no answer, until the weather is good.
    for (let tries = 0; tries < RETRIES; tries += 1) {
      if (tries === RETRIES - 3) {
        weather.clear();
        crashes.cancel();
        await pass(OVER_SECONDS);
      }
      for (const [index, { status = 500 }] of asked.entries()) if (status >= 500) asked[index] = issue(index);
      if (kind !== 'issue' && !changed.some(isAccepted)) changed.push(change(kind === 'revoke' ? 'REVOKED' : 'FROZEN'));
      await pass(LATER_SECONDS);
    }
    // A change may have its effect without an answer.
    const isChanged = () => changed.some(isAccepted) || isSubjectChanged(world);
    if (kind === 'unfreeze' && isChanged()) {
      const later = change('ACTIVE');
      await pass(LATER_SECONDS);
      if (!isAccepted(later)) faults.push(`the subject is not unfrozen: ${later.status} ${codeOf(later)}`);
    }
    await pass(OVER_SECONDS);
    faults.push(...faultsAtEnd(world, { kind, asked, isChanged: isChanged(), isAfterAnother }));
    return [...new Set(faults)];
  } finally {
    world.close();
  }
}

/** "Exactly N are accepted", and "a pass that is being issued meanwhile ends frozen or revoked". */
function faultsAtEnd(
  world: WorldType,
  {
    kind,
    asked,
    isChanged,
    isAfterAnother,
  }: { kind: Kind; asked: readonly Asked[]; isChanged: boolean; isAfterAnother: boolean },
): string[] {
  const passes = passesOf(world);
  const accepted = new Set(
    asked.filter(isAccepted).map(({ body }) => (body as { walletAddress: string }).walletAddress),
  );
  const open = asked.filter(({ status = 500 }) => status >= 500);
  const faults = open.length > 0 ? [`${open.length} requests have no answer: ${open.map(codeOf).join()}`] : [];
  if (accepted.size > 1) faults.push(`${accepted.size} wallets are accepted`);
  if (!isChanged) {
    if (accepted.size !== 1) faults.push(`${accepted.size} wallets are accepted, and the rule allows one`);
    if (countingOf(world).length !== 1) faults.push(`${countingOf(world).length} passes count`);
  }
  const refusals = new Set(asked.filter((each) => !isAccepted(each)).map(codeOf));
  const known = [
    'subject_limit_reached',
    ...(isAfterAnother ? ['pass_revoked'] : []),
    ...(isChanged ? ['subject_frozen', 'subject_revoked', 'pass_frozen', 'pass_revoked'] : []),
  ];
  for (const code of refusals) if (!known.includes(String(code))) faults.push(`a refusal has the code ${code}`);
  const ends = { issue: 'ACTIVE', freeze: 'FROZEN', revoke: 'REVOKED', unfreeze: 'ACTIVE' } as const;
  const end = isChanged ? ends[kind] : 'ACTIVE';
  for (const { wanted, key } of passes) {
    const isOther = isAfterAnother && wanted.state === 'REVOKED';
    if (wanted.state !== end && !isOther) faults.push(`the pass of ${key.wallet} ends ${wanted.state}, not ${end}`);
  }
  return faults;
}

const [first = 1, runs = 1] = process.argv.slice(2).map(Number);
let wrong = 0;
for (let seed = first; seed < first + runs; seed += 1) {
  const faults = await race(seed);
  if (faults.length === 0) continue;
  wrong += 1;
  console.log(`Race ${seed} is wrong: ${faults.join('; ')}`);
}
console.log(`${runs - wrong} of ${runs} races from seed ${first} on are right.`);
process.exitCode = wrong === 0 ? 0 : 1;
