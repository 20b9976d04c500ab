/**
 * The command line of `open`: where the box is reached.
 */
import { spawn } from 'node:child_process';
import { boxFolder } from '../../box/folder.ts';
import { boxUrl } from '../../box/health.ts';
import { readSecrets, requireSettings } from '../../box/settings.ts';
import { chooseOutput } from '../../output/choose.ts';
import { runCommand } from '../support/run-command.ts';

interface Options {
  dir: string;
  json?: boolean;
  page?: string;
  print?: boolean;
}

/** Runs `open` and sets the exit status: prints the addresses, and opens one if there is a display. */
export async function runOpen({ dir, json, page = 'box', print }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const folder = boxFolder(dir);
    const settings = await requireSettings(folder);
    const local = boxUrl(settings);
    const { STAFF_APP_URL: staff } = await readSecrets(folder);
    const addresses = {
      box: local,
      docs: `${local}/docs`,
      admin: staff ?? `${local}/docs`,
      public: settings.deployment?.url,
    };
    const url = addresses[page as keyof typeof addresses] ?? local;
    const hasDisplay = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
    const opened = hasDisplay && !print && !json && (await openUrl(url));
    output.result({ ...addresses, url, opened }, [
      `box       ${local}`,
      `API docs  ${addresses.docs}`,
      ...(staff ? [`staff     ${staff}`] : []),
      ...(addresses.public ? [`public    ${addresses.public}`] : []),
      ...(opened ? [`Opened ${url}.`] : []),
    ]);
    return 0;
  });
}

/** Returns whether the desktop has a program that opens addresses. */
function openUrl(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('xdg-open', [url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
