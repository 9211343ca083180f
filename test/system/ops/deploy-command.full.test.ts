import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { namingArgs } from '../../../ops/deploy/code-release.ts';
import { configFileOf } from '../../../ops/deploy/deployment-config.ts';
import { PROJECT, runWrangler } from '../../../terminal/wrangler.ts';
import { writeWorker } from '../../../tools/worker-bundle.ts';
import { useDeploymentsFolder } from '../../deployments-folder.ts';

const { folder, write } = useDeploymentsFolder();

function run(script: string, ...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [`ops/${script}.ts`, ...args], {
    encoding: 'utf8',
    // If a check failed to stop it, wrangler would find no account.
    env: { PATH, NODE_COMPILE_CACHE, HOME: folder, CI: 'true', GATEPASS_DEPLOYMENTS: folder },
    timeout: 120_000,
  });
  return { status, stdout, stderr };
}

it('`npm run deploy` refuses invalid values before it starts wrangler', () => {
  write('refused', { vars: { TOKEN_ISSUER: 'https://issuer.example.com' } });
  const { status, stdout, stderr } = run('deploy', '--env', 'refused');
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/refused\.toml has wrong vars: TOKEN_ISSUER must name a public host/);
});

it('`npm run wrangler` runs any command of wrangler with the configuration of a deployment, and returns its exit code', () => {
  write('production');
  const { status, stdout } = run(
    'wrangler',
    'deploy',
    '--env',
    'production',
    '--dry-run',
    '--outdir',
    join(folder, 'out'),
  );
  expect(status).toBe(0);
  expect(stdout).toContain('env.DB (gatepass-production)');
  expect(stdout).toContain('env.PASS_QUEUE (gatepass-production-passes)');
  expect(stdout).not.toContain('WARNING');
  expect(run('wrangler', 'versions', 'liszt', '--env=production').status).toBe(1);
  expect(run('wrangler', 'tail')).toMatchObject({ status: 2, stderr: 'name the deployment with --env NAME\n' });
  expect(run('wrangler', 'tail', '--env', 'prodution').stderr).toContain('name one of these deployments: production');
});

it('a deployment gets the modules that `npm run build` makes, wherever its values are', async () => {
  write('production');
  const [local, deployed] = [join(folder, 'local'), join(folder, 'deployed')];
  await writeWorker(local);
  await runWrangler(['deploy', '--dry-run', '--outdir', deployed, '--config', configFileOf('production')]);
  const modulesIn = (where: string) =>
    Object.fromEntries(
      globSync('**/*.js', { cwd: where }).map((name) => [name, readFileSync(join(where, name), 'utf8')]),
    );
  expect(Object.keys(modulesIn(local)).length).toBeGreaterThan(5);
  expect(modulesIn(deployed)).toEqual(modulesIn(local));
});

it('wrangler takes the name of the release and its commit', async () => {
  write('production');
  const code = {
    release: '1.0.1',
    previous: '1.0.0',
    commit: 'c0ffee1234',
    tag: '1.0.1-c0ffee1234',
    operatorSteps: [],
  };
  for (const command of [['deploy'], ['versions', 'upload']]) {
    const options = ['--dry-run', '--config', configFileOf('production')];
    const printed = await runWrangler([...command, ...options, ...namingArgs(code)]);
    // Wrangler hides the values of variables from the command line.
    for (const name of ['RELEASE', 'RELEASE_BEFORE', 'COMMIT']) expect(printed).toContain(`env.${name} (`);
    expect(printed).not.toContain('WARNING');
  }
});

it('the example shows every kind of value, and the Worker refuses only its hosts', () => {
  const example = readFileSync(join(PROJECT, 'deployments/example.toml'), 'utf8');
  write('copied', example);
  expect(run('deploy', '--env', 'copied').stderr).toMatch(
    /PUBLIC_ORIGIN must name a public host|TOKEN_ISSUER must name a public host/,
  );
  // With every line in use and with its own hosts, only the id of the database is missing.
  const filled = example
    .replaceAll('example.com', 'acme.io')
    .replaceAll(/^# (?=\[|[a-z_A-Z]+ = )/gm, '')
    .replace('# account_id', 'account_id');
  write('copied', filled.replace('name = "gatepass-production"', 'name = "gatepass-copied"'));
  expect(run('deploy', '--env', 'copied').stderr).toContain('copied.toml has no database_id for DB: create');
});
