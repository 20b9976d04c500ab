/**
 * A story of docs/stories in the installed box, with the mails that arrive.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { repository } from '../../tools/packages/sources.ts';
import type { Mail } from '../../tools/shipped-stack/mails.ts';
import { type Mailbox, runStory } from '../../tools/stories/run.ts';
import type { Stage } from '../stage.ts';

export const storiesFolder = join(repository, 'docs', 'stories');

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

/** Follows a story in a store of its own. */
export async function tellStory(t: Test, stage: Stage, file: string): Promise<void> {
  const mailbox = await openMailbox(stage);
  // Of its own, since a stack is used again.
  const slug = `${file.replace('.md', '')}-${randomBytes(3).toString('hex')}`;
  const told: string[] = [];
  try {
    await runStory(join(storiesFolder, file), {
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
}
