import { Failure } from '../../terminal/failure.ts';
import { gatekeeperNetwork, LOCALNET_FILE } from '../../terminal/option-values.ts';
import { openService } from '../admin-api.ts';
import { readDeployment } from '../nodes/deployment.ts';
import { ask, type Question } from './ask.ts';
import { networkNames, type SetupOptions } from './options.ts';

/** Registers the first partner with `npm run partner -- add`, unless the service has the client already. */
export async function registerPartner(
  options: SetupOptions,
  runPartner: (args: readonly string[]) => Promise<number>,
  say: (line: string) => void,
): Promise<void> {
  const { env, url } = options;
  const call = openService(readDeployment({ environment: env, localnet: LOCALNET_FILE, secrets: undefined, url }));
  type Page = { readonly partners: readonly { readonly clientId: string }[] };
  const { partners } = await call<Page>('GET', '/admin/partners?limit=100');
  if (
    partners.length > 0 &&
    (options.clientId === undefined || partners.some((each) => each.clientId === options.clientId))
  )
    return say(`the service has partners: ${partners.map(({ clientId }) => clientId).join(', ')}`);
  const questions = questionsFor(options);
  const answers = await ask(questions);
  const partner = questions.flatMap(({ option }, index) => [option, answers[index] ?? '']);
  const mode = options.sandbox ? ['--sandbox'] : [];
  const code = await runPartner(['add', '--env', env, ...(url ? ['--url', url] : []), ...mode, ...partner]);
  if (code !== 0) throw new Failure('the partner was not registered: run the command again. It continues there');
}

/** Returns the options of the first partner. */
export const plannedPartner = (options: SetupOptions): string[] =>
  questionsFor(options).map(({ option, given }) => `${option} ${given ?? '(the setup asks)'}`);

/** Returns the questions whose answers are options of `npm run partner -- add`. A sandbox asks for no more than the given settings. */
export function questionsFor(options: SetupOptions): Question[] {
  const settings: Question[] = [
    {
      option: '--gatekeeper-network',
      text: 'Its gatekeeper network',
      given: options.gatekeeperNetwork,
      check: gatekeeperNetwork,
    },
    {
      option: '--networks',
      text: 'Its networks, separated by commas, or unlimited',
      given: options.networks,
      check: networkNames,
    },
    { option: '--daily-issuances', text: 'Passes that it may issue per day', given: options.dailyIssuances },
    { option: '--daily-changes', text: 'Changes that it may request per day', given: options.dailyChanges },
  ];
  return [
    { option: '--client-id', text: 'OAuth client of the first partner', given: options.clientId },
    { option: '--name', text: 'Its name', given: options.name },
    ...settings.filter(({ given }) => !options.sandbox || given !== undefined),
  ];
}
