/**
 * The stories of docs/stories, against a box that the installer made, with a mail server that can be away.
 */
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { install, silent, start, stop } from '@carton/installer';
import { startMailServer } from '@carton/notification/testing';
import { freePort, temporaryFolder } from '@carton/runtime/testing';
import { startVies, viesEnvironment } from '@carton/vies/testing';
import type { Test } from 'tap';
import { runStory } from '../../../tools/stories/run.ts';
import { type RunningStack, root } from './stack.ts';

/** Installs a box from a stack, and follows all stories in it. */
export async function testStories(t: Test, stack: RunningStack): Promise<void> {
  const mailbox = await startMailServer();
  const vies = await startVies();
  const dir = await temporaryFolder('stories-');
  t.teardown(async () => {
    await stop({ dir }, silent);
    await mailbox.stop();
    await vies.stop();
  });
  const { body: licence } = await stack.admin.post('/license/keys', { customerId: 'stories', tier: 'basic' });
  const port = await freePort();
  const options = { dir, port, licenseKey: licence.key, controlPlaneUrl: stack.controlPlaneUrl, start: false };
  await install(options, silent);
  const environment = { ...mailbox.environment, ...viesEnvironment(vies) };
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
  await appendFile(join(dir, 'box.env'), settings.join(''));
  const { url } = await start({ dir }, silent);
  const secrets = await readFile(join(dir, 'box.env'), 'utf8');
  const secretOf = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(secrets)?.[1] as string;

  const folder = join(root, 'docs', 'stories');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md')).sort();
  t.strictSame(files, ['bad-day.md', 'business.md', 'first-day.md', 'guest.md', 'member.md', 'opening.md']);
  for (const file of files.filter((each) => each !== 'opening.md')) {
    await t.test(file, async (t) => {
      const slug = file.replace('.md', '');
      const told: string[] = [];
      await runStory(join(folder, file), {
        url,
        headers: { 'x-tenant-slug': slug, 'x-hosting-secret': secretOf('HOSTING_SECRET') },
        values: { slug, operator: secretOf('OPERATOR_SECRET') },
        mailbox,
        told: (step) => told.push(step),
      });
      t.ok(told.length > 20);
    });
  }
}
