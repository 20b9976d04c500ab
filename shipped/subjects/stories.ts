/**
 * The journey of each story in docs/stories, with the mails that arrive.
 */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repository } from '../../tools/packages/sources.ts';
import type { Mail } from '../../tools/shipped-stack/mails.ts';
import { type Mailbox, runStory } from '../../tools/stories/run.ts';
import type { Stage } from '../stage.ts';
import { subject } from '../subject.ts';

const folder = join(repository, 'docs', 'stories');

/** The mails that arrive from now on. */
async function openMailbox({ mailbox }: Stage): Promise<Mailbox & { close(): Promise<void> }> {
  const earlier = (await mailbox.mails()).length;
  const mails: Mail[] = [];
  let isOpen = true;
  const follow = async () => {
    while (isOpen) {
      mails.push(...(await mailbox.mails()).slice(earlier + mails.length));
      await sleep(200);
    }
  };
  const following = follow();
  return {
    mails,
    stop: mailbox.stop,
    start: mailbox.start,
    async close() {
      isOpen = false;
      await following;
    },
  };
}

subject('stories', async (t, stage) => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md')).sort();
  // Every other story begins with it.
  for (const file of files.filter((each) => each !== 'opening.md')) {
    await t.test(file, async (t) => {
      const mailbox = await openMailbox(stage);
      // Of its own, since a stack is used again.
      const slug = `${file.replace('.md', '')}-${randomBytes(3).toString('hex')}`;
      const told: string[] = [];
      try {
        await runStory(join(folder, file), {
          url: stage.url,
          headers: { 'x-tenant-slug': slug, 'x-hosting-secret': stage.secrets.hosting },
          values: { slug, operator: stage.secrets.operator },
          mailbox,
          told: (step) => told.push(step),
        });
        t.ok(told.length > 20, `${told.length} steps`);
      } finally {
        await mailbox.close();
      }
    });
  }
});
