/** `npm run doctor`: checks whether a service can work with its configuration, and prints a remedy for each failed check. */
import { stopChildren } from '../scripts/child-process.ts';
import { reportFailure } from '../scripts/failure.ts';
import { lineOf, summaryOf } from './doctor/check.ts';
import { examine } from './doctor/examine.ts';
import { asksForHelp, parseDoctorOptions, USAGE } from './doctor/options.ts';
import { readDeployment } from './nodes/deployment.ts';

try {
  const args = process.argv.slice(2);
  if (asksForHelp(args)) {
    console.log(USAGE);
    process.exit();
  }
  const options = parseDoctorOptions(args);
  const findings = await examine(readDeployment(options), options.gatekeeperNetworks, (finding) =>
    console.log(lineOf(finding)),
  );
  console.log(`\n${summaryOf(findings)}`);
  process.exitCode = findings.some(({ verdict }) => verdict.type === 'failed') ? 1 : 0;
  // A check that timed out may still run a child process or a request.
  await stopChildren();
  process.exit();
} catch (error) {
  process.exitCode = reportFailure(error);
}
