// The licences of third-party code in a package, which must be distributed with it.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest } from './sources.ts';

/** Returns one text with name, version and licence of the package in each folder; empty without folders. */
export async function thirdPartyLicences(folders: string[]): Promise<string> {
  const parts: string[] = [];
  for (const folder of folders) {
    const { name, version, license } = await readManifest(folder);
    const texts: string[] = [];
    const files = (await readdir(folder)).sort();
    const licenceFiles = files.filter((file) => /^(licen[cs]e|copying|notice)(\.|-|$)/i.test(file));
    // Libraries without a licence file, such as those of binaries, name their licences in the readme.
    const sources = licenceFiles.length > 0 ? licenceFiles : files.filter((file) => /^readme(\.|$)/i.test(file));
    for (const file of sources) texts.push(await readFile(join(folder, file), 'utf8'));
    parts.push(
      [`${name} ${version} (${license ?? 'licence not stated'})`, ...texts.map((text) => text.trim())].join('\n\n'),
    );
  }
  return parts.length === 0 ? '' : `${parts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
}
