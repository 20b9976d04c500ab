/**
 * Installs the vendor's services as they are shipped: carries out the instructions of
 * control-plane/packaging/Containerfile, without containers. So a file that it does not copy, or a dependency that
 * `npm ci --omit=dev` leaves out, is missing here too.
 */
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type Command, runCommand } from './processes.ts';

interface Instruction {
  word: string;
  rest: string;
}

interface ImageStage {
  name: string;
  instructions: Instruction[];
}

/** The services in a folder. */
export interface InstalledServices {
  folder: string;
  /** Arguments of Node.js for the target of an image. */
  commandOf(target: string): string[];
}

/** Reads the images that an installed folder belongs to. */
export async function readServices(root: string, folder: string): Promise<InstalledServices> {
  const stages = parse(await readFile(containerfile(root), 'utf8'));
  return {
    folder,
    commandOf(target) {
      const [program, ...parameters] = JSON.parse(instructionsOf(stages, target, 'CMD').at(-1) ?? '[]') as string[];
      if (program !== 'node') throw new Error(`the image ${target} starts ${program}, not node`);
      return parameters;
    },
  };
}

/** Copies and installs what the images contain. */
export async function installServices(
  root: string,
  folder: string,
  { log, exited }: Pick<Command, 'log' | 'exited'>,
): Promise<InstalledServices> {
  const stages = parse(await readFile(containerfile(root), 'utf8'));
  const ignored = await readIgnored(`${containerfile(root)}.dockerignore`);
  const variables = Object.fromEntries(
    instructionsOf(stages, 'installed', 'ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('='))),
  ) as Record<string, string>;
  for (const line of instructionsOf(stages, 'installed', 'COPY')) {
    const words = line.split(' ');
    const target = words.pop() as string;
    for (const source of words) {
      const to = join(folder, target, target.endsWith('/') ? source : '');
      await mkdir(dirname(to), { recursive: true });
      await cp(join(root, source), to, {
        recursive: true,
        filter: (path) => !ignored(relative(root, path)),
      });
    }
  }
  for (const line of instructionsOf(stages, 'installed', 'RUN')) {
    const [program = '', ...parameters] = line.split(' ');
    const environment = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      // Most of it is in npm's cache: the project has been installed.
      npm_config_prefer_offline: 'true',
      ...variables,
    };
    await runCommand({ name: line, program, parameters, folder, environment, log, exited });
  }
  return readServices(root, folder);
}

function containerfile(root: string): string {
  return join(root, 'control-plane/packaging/Containerfile');
}

function parse(text: string): ImageStage[] {
  const stages: ImageStage[] = [];
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (word === 'FROM') stages.push({ name: / AS (\S+)$/.exec(rest)?.[1] ?? rest, instructions: [] });
    else if (word !== '') stages.at(-1)?.instructions.push({ word, rest });
  }
  return stages;
}

function instructionsOf(stages: readonly ImageStage[], name: string, word: string): string[] {
  const stage = stages.find((each) => each.name === name);
  if (!stage) throw new Error(`the Containerfile has no stage ${name}`);
  return stage.instructions.filter((each) => each.word === word).map(({ rest }) => rest);
}

/** Reads names that are ignored everywhere (as two asterisks, a slash and the name) or at the top (as name). */
async function readIgnored(file: string): Promise<(path: string) => boolean> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const anywhere = new Set(lines.filter((line) => line.startsWith('**/')).map((line) => line.slice('**/'.length)));
  const top = new Set(lines.filter((line) => !line.includes('/')));
  return (path) => {
    const words = path.split(sep);
    return top.has(words[0] as string) || words.some((word) => anywhere.has(word));
  };
}
