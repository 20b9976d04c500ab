/**
 * Tarballs that the installer gets from a registry that was taken over.
 */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { freePort } from '@carton/runtime/testing';
import { type Header, pack } from 'tar-stream';
import { exitCodes } from '../../../installer/exit-codes.ts';
import { carton, machineFolder } from '../../shipped-stack/machine.ts';
import type { Attack } from '../attack.ts';
import { startHostileVendor } from '../hostile-vendor.ts';

type Entry = Partial<Header> & { name: string };

const packageName = '@carton/core';

async function packed(...entries: [headers: Entry, content?: string][]): Promise<Buffer> {
  const tarball = pack();
  const manifest = JSON.stringify({ name: packageName, version: '0.2.0' });
  for (const [headers, content = ''] of [[{ name: 'package/package.json' }, manifest] as const, ...entries])
    tarball.entry(headers, content);
  tarball.finalize();
  return buffer(tarball.pipe(createGzip()));
}

const link = (linkname: string): Entry => ({ name: 'package/link', type: 'symlink', linkname });

export const tarballs: readonly Attack[] = [
  {
    name: 'tarballs: of a registry that was taken over',
    tries: 'paths out of the folder, links, bombs, and content with another digest',
    async run(target, observe) {
      const vendor = await startHostileVendor(target);
      const dir = join(target.folder, 'installed');
      const install = async () => {
        await rm(dir, { recursive: true, force: true });
        const words = ['--control-plane', vendor.url, '--port', String(await freePort()), '--no-start', '--dir', dir];
        const key = ['--key-file', join(machineFolder(target.settings), 'key')];
        const { code, output } = await carton(target.settings, ['install', ...key, ...words]);
        return { status: code, output };
      };
      const { status: refusal } = exitCodes.integrity_failed;
      const hostile: [what: string, tarball: Buffer, unpackedSize?: number][] = [
        ['a path outside', await packed([{ name: 'package/../../../../../escaped.txt' }, 'out'])],
        ['an absolute path', await packed([{ name: join(target.folder, 'escaped.txt') }, 'out'])],
        [
          'a file through a link',
          await packed([link('../../../../../..')], [{ name: 'package/link/escaped.txt' }, 'out']),
        ],
        ['a link', await packed([link('/etc/passwd')])],
        ['a hard link', await packed([{ ...link('../../../../box.env'), type: 'link' }])],
        ['a bomb', await packed([{ name: 'package/large.bin' }, '0'.repeat(5_000_000)]), 1000],
      ];
      try {
        observe.works('the packages of the vendor', await install(), 0);
        for (const [what, tarball, unpackedSize = 100_000] of hostile) {
          vendor.replaced = { packageName, tarball, hasDigest: true, unpackedSize };
          const answer = await install();
          observe.refused(what, answer, { status: refusal });
          observe.is(`${what} is the reason`, /its tarball contains/.test(answer.output), true);
          const outside = [...(await readdir(target.folder)), ...(await readdir(target.settings.folder))];
          observe.is('a file is outside', outside.includes('escaped.txt'), false);
          observe.is('a box is there', existsSync(join(dir, 'current')), false);
        }
        const other = await packed([{ name: 'package/dist/index.js' }, 'export default {};']);
        vendor.replaced = { packageName, tarball: other, hasDigest: false, unpackedSize: 100_000 };
        observe.refused('another digest', await install(), { status: refusal });
        observe.is('a box is there', existsSync(join(dir, 'current')), false);
      } finally {
        await vendor.close();
        await rm(dir, { recursive: true, force: true });
      }
    },
  },
];
