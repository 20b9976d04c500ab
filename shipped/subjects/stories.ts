/**
 * The journey of each story in docs/stories, with the mails that arrive.
 */
import { readdir } from 'node:fs/promises';
import { subject } from '../subject.ts';
import { storiesFolder, tellStory } from '../support/story.ts';

/** Every other story begins with the first; the subject `services` has the second, which asks a service. */
const others = ['opening.md', 'business.md'];

subject('stories', async (t, stage) => {
  const files = (await readdir(storiesFolder)).filter((file) => file.endsWith('.md')).sort();
  for (const file of files.filter((each) => !others.includes(each))) {
    await t.test(file, (t) => tellStory(t, stage, file));
  }
});
