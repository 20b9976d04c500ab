/**
 * The journey of a partner: on bare Debian systems without Node.js, npm or PostgreSQL, the binary installs a box from a
 * gated registry, the box sells, and is upgraded, rolled back, restarted, backed up, rebooted, removed and
 * restored. No request fails during an upgrade that keeps the port open, and no order is lost.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vendor as names } from '../../runtime/vendor.ts';
import { type Findings, type Rig, Skipped } from '../support/rig.ts';
import { startVendor } from '../support/vendor.ts';
import { type Kind, kinds, travel } from './journey.ts';
import { nextReleases } from './releases.ts';
import { checkMachine, type Suite, suites } from './roots.ts';
import { newTranscript, writeTranscript } from './transcript.ts';

const binary = fileURLToPath(new URL(`../../dist/${names.name}-linux-${process.arch}`, import.meta.url));
/** The default ports, which the transcript shows in place of those of the run. */
const shownPorts = { controlPlane: 4000, registry: 4873, box: 3001 };

export const rig: Rig = {
  about:
    'The binary on bare Debian systems: install, sell, upgrade and roll back, back up, reboot, uninstall, restore.',
  options: {
    suite: { about: 'the release of Debian', defaultValue: 'all', short: 'bookworm', oneOf: ['all', ...suites] },
    as: {
      about: 'who runs the box: root or a user in a chroot, or a service of a booted systemd',
      defaultValue: 'all',
      short: 'root',
      oneOf: ['all', ...kinds],
    },
    shoppers: { about: 'concurrent shoppers', defaultValue: '4' },
    roots: { about: 'where roots are kept (a folder for temporary files)', defaultValue: '', isFolder: true },
    document: { about: 'write the parts to docs/journey.md', defaultValue: 'no', oneOf: ['no', 'yes'] },
  },
  timeLimit: ({ short }) => (short ? 900 : 5400),
  async run(stage) {
    checkMachine();
    if (!existsSync(binary)) throw new Skipped(`${basename(binary)} is not built: npm run build:installer`);
    // The short form of this rig needs all packages, too.
    const vendor = await startVendor({ ...stage, short: false });
    const ports: Record<string, number> = { controlPlane: portOf(vendor.controlPlane.url) };
    ports.registry = portOf(vendor.registries[0].url);
    const transcript = newTranscript(
      () => new Map(Object.entries(shownPorts).map(([part, shown]) => [ports[part] as number, shown])),
    );
    const releases = await nextReleases(stage, vendor);
    const findings: Findings = { broken: [], counts: { journeys: 0 } };
    const chosen = <T extends string>(option: string, all: readonly T[]) =>
      all.filter((each) => ['all', each].includes(stage.word(option)));
    for (const suite of chosen<Suite>('suite', suites)) {
      for (const kind of chosen<Kind>('as', kinds)) {
        transcript.part(titleOf(suite, kind));
        const { broken, counts } = await travel(stage, {
          ...{ suite, kind, binary, name: names.name, transcript },
          roots: stage.word('roots') || join(tmpdir(), 'bare-systems'),
          controlPlaneUrl: vendor.controlPlane.url,
          admin: vendor.admin,
          releases,
          onPort: (port) => {
            ports.box = port;
          },
        });
        if (stage.word('document') === 'yes') await writeTranscript(transcript, allTitles);
        findings.broken.push(...broken);
        findings.counts.journeys = (findings.counts.journeys ?? 0) + 1;
        for (const [name, count] of Object.entries(counts)) findings.counts[`${suite}-${kind}-${name}`] = count;
      }
    }
    return findings;
  },
};

const allTitles = suites.flatMap((suite) => kinds.map((kind) => titleOf(suite, kind)));
const portOf = (url: string) => Number(new URL(url).port);

function titleOf(suite: Suite, kind: Kind): string {
  const system = { bookworm: 'Debian 12', bullseye: 'Debian 11' }[suite];
  return `${system}, ${{ root: 'as root', user: 'as an ordinary user', systemd: 'as a service of systemd' }[kind]}`;
}
