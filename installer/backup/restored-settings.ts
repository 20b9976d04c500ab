/**
 * What a restore takes of the settings in a backup: the known members of `box.json`, and of `box.env` the variables that the
 * release of the backup or this command declares. The environment of processes (`NODE_OPTIONS`, `LD_PRELOAD`, `PATH`) is
 * none of it, whatever the backup says: it can run any program.
 */
import { parseEnv } from 'node:util';
import { declaredNames } from '../box/declared-settings.ts';
import { editVariables } from '../box/edit-settings.ts';
import type { BoxFolder } from '../box/folder.ts';
import { isSetting } from '../box/known-variables.ts';
import { type BoxSettings, isPort } from '../box/settings.ts';
import { Failure } from '../failure.ts';

const members: Record<keyof BoxSettings, true> = {
  controlPlaneUrl: true,
  registryUrl: true,
  host: true,
  port: true,
  tier: true,
  customerId: true,
  channel: true,
  version: true,
  pinnedVersion: true,
  chosenChannel: true,
  deployment: true,
};

/** Returns the settings in the `box.json` of a backup. @throws Failure integrity_failed */
export function restoredSettings(text: string, backup: string): BoxSettings {
  try {
    const all = JSON.parse(text) as Record<string, unknown>;
    const settings = Object.fromEntries(Object.entries(all).filter(([name]) => Object.hasOwn(members, name)));
    if (typeof settings.host === 'string' && isPort(settings.port)) return settings as unknown as BoxSettings;
  } catch {
    // Refused like one without an address.
  }
  throw new Failure('integrity_failed', `${backup} has no valid box.json`, 'Use another backup');
}

/**
 * Returns the text of `box.env` with declared settings only, and the names that were left out.
 * @throws Failure integrity_failed if it cannot be read safely
 */
export async function restoredSecrets(
  folder: BoxFolder,
  release: string,
  text: string,
): Promise<{ text: string; leftOut: string[] }> {
  const declared = await declaredNames(folder, release);
  const leftOut = Object.keys(parseEnv(text))
    .filter((name) => !isSetting(name, declared))
    .sort();
  if (leftOut.length === 0) return { text, leftOut };
  try {
    return { text: editVariables(text, new Map(leftOut.map((name) => [name, null]))), leftOut };
  } catch {
    throw new Failure('integrity_failed', 'the box.env of the backup cannot be read safely', 'Use another backup');
  }
}
