/**
 * `config`: shows, changes and checks the settings of a box. Nothing contacts the control plane: the installed release says
 * which settings it has, and checks them.
 */
import { stat } from 'node:fs/promises';
import { bucketVariables } from '../../backup/s3/settings.ts';
import { askRelease, type DeclaredSetting, type SettingsReport } from '../../box/declared-settings.ts';
import { editSecrets, editVariables, type SettingChanges } from '../../box/edit-settings.ts';
import { type BoxFolder, boxFolder, checkOwner } from '../../box/folder.ts';
import { ignoredVariables, isAccepted } from '../../box/known-variables.ts';
import { toLaunch } from '../../box/launch.ts';
import { withLock } from '../../box/lock.ts';
import { findRunningBox } from '../../box/running.ts';
import {
  type BoxSettings,
  checkSecrets,
  isPort,
  readSecrets,
  requireSettings,
  writeBoxSettings,
} from '../../box/settings.ts';
import { Failure } from '../../failure.ts';
import { currentRelease } from '../../release/layout.ts';
import { vendor } from '../../vendor.ts';

/** A setting of a box. */
export interface Setting {
  name: string;
  /** Absent if it is not set. That of a secret is `********`, unless it was asked for. */
  value?: string;
  default?: string;
  /** The file that sets it; `default` and `none` if no file does. */
  source: 'box.env' | 'box.json' | 'default' | 'none';
  /** Whether its value is not to be shown. Also that of a variable which no package declares. */
  secret: boolean;
  /** Whether the installed release has this setting. */
  declared: boolean;
  description?: string;
}

export interface ChangeResult {
  dir: string;
  /** Names whose value is another one now. */
  changed: string[];
  /** Whether a box runs that still has the former values. */
  restartNeeded: boolean;
}

export const masked = '********';

/** What this command itself reads from box.env. */
const ownSettings: readonly DeclaredSetting[] = Object.entries(bucketVariables).map(([name, description]) => ({
  name,
  description,
  secret: /_KEY(_ID)?$/.test(name),
}));

/** The installer passes these to a box and derives them from its folder. */
const fixedNames = new Set(['BOX_HOME', 'BOX_PACKAGES']);
/** In box.json. */
const addressNames = ['HOST', 'PORT'] as const;

/** All settings: those of the release in its order, then further variables of box.env. @throws Failure not_installed */
export async function listSettings(dir: string): Promise<Setting[]> {
  const folder = boxFolder(dir);
  const settings = await requireSettings(folder);
  const secrets = await readSecrets(folder);
  const report = await ask(folder, settings, secrets);
  const declared = [...(report?.settings ?? []).filter(({ name }) => !fixedNames.has(name)), ...ownSettings];
  const known = new Set<string>([...declared.map(({ name }) => name), ...addressNames]);
  const address = report ? [] : addressNames.map((name) => ({ name, description: '', secret: false }));
  return [
    ...[...declared, ...address].map((each) => ofBox(each, settings, secrets)),
    ...Object.entries(secrets)
      .filter(([name]) => !known.has(name))
      .map(([name, value]) => ({ name, value, source: 'box.env' as const, secret: true, declared: false })),
  ];
}

function ofBox(declared: DeclaredSetting, settings: BoxSettings, secrets: Record<string, string | undefined>): Setting {
  const { name, default: defaultValue, description, secret } = declared;
  const common = { name, default: defaultValue, secret, declared: true, description };
  if (name === 'HOST' || name === 'PORT') {
    const value = String(name === 'HOST' ? settings.host : settings.port);
    return { ...common, value, source: 'box.json' };
  }
  const value = secrets[name];
  if (value !== undefined && value !== '') return { ...common, value, source: 'box.env' };
  return { ...common, value: defaultValue, source: defaultValue === undefined ? 'none' : 'default' };
}

/** Returns the setting without its value if that is a secret, or without the password of a URL. */
export function maskSetting(setting: Setting): Setting {
  const { value, secret, source } = setting;
  if (value === undefined || source === 'default') return setting;
  return { ...setting, value: secret ? masked : value.replace(/(:\/\/[^/@\s]*:)[^/@\s]+@/, `$1${masked}@`) };
}

/** @throws Failure usage for a name that is no setting of the box; not_installed */
export async function getSetting(dir: string, name: string): Promise<Setting> {
  const found = (await listSettings(dir)).find((setting) => setting.name === name);
  if (found) return found;
  throw new Failure('usage', `${name} is no setting of this box`, `Run ${vendor} config list for the names`);
}

/**
 * Changes settings. All are checked together, so that settings which need each other can be set in one command.
 * @param changes null removes a setting
 * @param options.unchecked whether to accept any name and value
 * @throws Failure usage for a name or value that the release does not accept, and nothing is written; not_installed, busy
 */
export async function changeSettings(
  dir: string,
  changes: SettingChanges,
  { unchecked = false }: { unchecked?: boolean } = {},
): Promise<ChangeResult> {
  const folder = boxFolder(dir);
  return withLock(folder.root, 'config', async () => {
    const settings = await requireSettings(folder);
    await checkOwner(folder);
    await checkSecrets(folder);
    const secrets = await readSecrets(folder);
    const address = applyAddress(settings, changes);
    const ofFile = new Map([...changes].filter(([name]) => !isAddress(name)));
    const after = { ...secrets };
    for (const [name, value] of ofFile) {
      if (value === null) delete after[name];
      else after[name] = value;
    }
    rejectManaged(changes);
    editVariables('', ofFile); // a value that cannot be quoted is named before the release is asked
    if (!unchecked) await checkChanges(folder, { settings, secrets }, { settings: address, secrets: after }, changes);
    const changed = [...changes.keys()].filter(
      (name) => valueIn(settings, secrets, name) !== valueIn(address, after, name),
    );
    const changedOfFile = new Map([...ofFile].filter(([name]) => changed.includes(name)));
    if (changedOfFile.size > 0) await editSecrets(folder, changedOfFile);
    if (changed.some(isAddress)) await writeBoxSettings(folder, address);
    const restartNeeded = changed.length > 0 && (await findRunningBox(folder)) !== undefined;
    return { dir: folder.root, changed, restartNeeded };
  });
}

/**
 * Checks all settings.
 * @returns what is wrong, a sentence each
 * @throws Failure not_installed
 */
export async function findSettingFaults(dir: string): Promise<string[]> {
  const folder = boxFolder(dir);
  const settings = await requireSettings(folder);
  await checkSecrets(folder);
  const secrets = await readSecrets(folder);
  const report = await ask(folder, settings, secrets);
  const { mode } = await stat(folder.secrets);
  const declared = new Set(report?.settings.map(({ name }) => name));
  const unknown = report ? ignoredVariables(secrets, declared) : [];
  return [
    ...((mode & 0o077) === 0 ? [] : [`other users can read ${folder.secrets}: run chmod 600 ${folder.secrets}`]),
    ...(report?.faults ?? []),
    ...unknown.map(
      (name) =>
        `${name} in box.env is no setting of this release, and does not reach the box: ${vendor} config unset ${name}`,
    ),
  ];
}

async function checkChanges(
  folder: BoxFolder,
  before: { settings: BoxSettings; secrets: Record<string, string | undefined> },
  after: { settings: BoxSettings; secrets: Record<string, string | undefined> },
  changes: SettingChanges,
): Promise<void> {
  const report = await ask(folder, after.settings, after.secrets);
  if (!report) return;
  const declared = new Set(report.settings.map(({ name }) => name));
  const unknown = [...changes].find(([name, value]) => value !== null && !isAccepted(name, value, declared))?.[0];
  if (unknown !== undefined) {
    throw new Failure(
      'usage',
      `${unknown} is no setting of this box`,
      `Run ${vendor} config list for the names, or add --unchecked for a variable of another program, which does not reach the box`,
    );
  }
  if (report.faults.length === 0) return;
  // A box with other faults must still be correctable, one setting at a time.
  const former = new Set((await ask(folder, before.settings, before.secrets))?.faults);
  const fresh = report.faults.filter((fault) => !former.has(fault));
  if (fresh.length === 0) return;
  throw new Failure('usage', fresh.join('; '), 'Nothing was changed. Settings that need each other are set together');
}

async function ask(
  folder: BoxFolder,
  settings: BoxSettings,
  secrets: Record<string, string | undefined>,
): Promise<SettingsReport | undefined> {
  const release = await currentRelease(folder);
  if (!release) throw new Failure('not_installed', `${folder.current} is missing`, 'Run install again');
  return askRelease(folder, toLaunch(release, settings, secrets));
}

function isAddress(name: string): boolean {
  return (addressNames as readonly string[]).includes(name);
}

function valueIn(settings: BoxSettings, secrets: Record<string, string | undefined>, name: string) {
  if (name === 'HOST') return settings.host;
  return name === 'PORT' ? String(settings.port) : secrets[name];
}

function rejectManaged(changes: SettingChanges): void {
  for (const name of changes.keys()) {
    if (fixedNames.has(name)) throw new Failure('usage', `${name} is derived from the folder of the box`, 'Use --dir');
    if (name !== 'LICENSE_KEY') continue;
    throw new Failure('usage', 'the licence key is no setting', `Use ${vendor} license replace --key-file <path>`);
  }
}

/** Applies HOST and PORT, which are in box.json. @throws Failure usage */
function applyAddress(settings: BoxSettings, changes: SettingChanges): BoxSettings {
  const { HOST: host = undefined, PORT: port = undefined } = Object.fromEntries(changes);
  if (host === null || port === null || host === '') {
    throw new Failure('usage', 'a box needs HOST and PORT', 'Set them to other values');
  }
  const chosen = port === undefined ? settings.port : Number(port);
  if (!isPort(chosen)) throw new Failure('usage', `${port} is not a port`, 'Use a number from 1 to 65535');
  return { ...settings, host: host ?? settings.host, port: chosen };
}
