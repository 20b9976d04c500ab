/**
 * The command lines of `service`.
 */
import { exitCodes } from '../../exit-codes.ts';
import { chooseOutput } from '../../output/choose.ts';
import { vendor } from '../../vendor.ts';
import { runCommand } from '../support/run-command.ts';
import { installService, printUnit, type ServiceOptions, serviceStatus, uninstallService } from './service.ts';

type Options = ServiceOptions & { json?: boolean };

/** Runs `service install` and sets the exit status. */
export async function runServiceInstall(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    const result = await installService(options, output);
    output.result(result, [
      result.changed ? 'The box runs as a service, also after a reboot.' : 'The box already runs as this service.',
      `service   ${result.service} (user ${result.user})`,
      `unit      ${result.unit}`,
      `address   ${result.url}`,
      `log       journalctl --unit ${result.service}`,
    ]);
    return 0;
  });
}

/** Runs `service uninstall` and sets the exit status. */
export async function runServiceUninstall(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    const result = await uninstallService(options, output);
    const lines = result.service
      ? [
          `Removed the service ${result.service}. The box is stopped; its folder and its user stay.`,
          ...(result.timer
            ? [`Removed its timer ${result.timer} too: no backups are scheduled any more (${vendor} backup schedule).`]
            : []),
        ]
      : ['No service runs this box.'];
    output.result({ ...result, changed: result.service !== undefined }, lines);
    return 0;
  });
}

/** Runs `service status` and sets the exit status: 0 only for an active service. */
export async function runServiceStatus(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    const result = await serviceStatus(options);
    const exitCode = result.state === 'active' ? 0 : exitCodes.not_running.status;
    const lines = [
      `service   ${result.service}, ${result.state}${result.since ? ` since ${result.since}` : ''}`,
      `at boot   ${result.enabled ? 'starts' : 'does not start'}`,
      `restarts  ${result.restarts}`,
      ...(result.status ? [`says      ${result.status}`] : []),
    ];
    output.result(result, lines, exitCode);
    return exitCode;
  });
}

/** Runs `service unit` and sets the exit status. */
export async function runServiceUnit(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    await printUnit(options, output);
    return 0;
  });
}
