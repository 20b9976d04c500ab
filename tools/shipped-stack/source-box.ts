/**
 * The box that runs from sources, with the packages and settings of the installed one: what differs between their
 * answers comes from how the packages are built, published and installed.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningService, startService } from './processes.ts';
import { boxFolder, localUrl, logFile, readBoxEnvironment, type StackSettings } from './settings.ts';

/** @param databaseUrl an empty database, or that of an earlier start */
export async function startSourceBox(
  root: string,
  settings: StackSettings,
  databaseUrl: string,
): Promise<RunningService> {
  const { ports } = settings;
  const folder = join(settings.folder, 'source-box');
  await mkdir(folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  if (!existsSync(modules)) await symlink(join(root, 'node_modules'), modules);
  const lockFile = join(folder, 'carton.lock.json');
  const { tier, packages } = JSON.parse(
    await readFile(join(boxFolder(settings), 'current', 'carton.lock.json'), 'utf8'),
  ) as { tier: string; packages: Record<string, object> };
  // The sources have no packages for platforms: their parts are in node_modules.
  const own = Object.entries(packages).filter(([name]) => existsSync(join(modules, name)));
  await writeFile(lockFile, JSON.stringify({ tier, packages: Object.fromEntries(own) }));
  const { LICENSE_KEY: _, ...environment } = await readBoxEnvironment(settings);
  return startService({
    name: 'the box from sources',
    program: process.execPath,
    parameters: ['--conditions=workspace-source', join(root, 'runtime', 'main.ts')],
    folder,
    environment: {
      ...environment,
      PATH: process.env.PATH ?? '',
      DATABASE_URL: databaseUrl,
      PORT: String(ports.sourceBox),
      BOX_HOME: folder,
      BOX_PACKAGES: lockFile,
      SMTP_PORT: String(ports.mailOfSourceBox),
    },
    log: logFile(settings, 'source-box'),
    ready: `${localUrl(ports.sourceBox)}/health`,
  });
}
