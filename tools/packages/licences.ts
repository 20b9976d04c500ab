// The licences of third-party code that is part of a package: they ask to be passed on with it.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest } from './sources.ts';

/** One text with the name, version and licence of each folder's package; empty when there is none. */
export async function thirdPartyLicences(folders: string[]): Promise<string> {
  const parts: string[] = [];
  for (const folder of folders) {
    const { name, version, license } = await readManifest(folder);
    const texts: string[] = [];
    const files = (await readdir(folder)).sort();
    const own = files.filter((file) => /^(licen[cs]e|copying|notice)(\.|-|$)/i.test(file));
    // Libraries that hold others say whose in what is to be read first.
    const said = own.length > 0 ? own : files.filter((file) => /^readme(\.|$)/i.test(file));
    for (const file of said) texts.push(await readFile(join(folder, file), 'utf8'));
    parts.push(
      [`${name} ${version} (${license ?? 'licence not stated'})`, ...texts.map((text) => text.trim())].join('\n\n'),
    );
  }
  return parts.length === 0 ? '' : `${parts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
}
