/**
 * Runs a story against a box: sends its requests as they are written, and compares the responses.
 */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { differenceOf, fill, matchText, type Values } from './match.ts';
import { type MailStep, parseStory, type RequestStep, type Step, StoryError } from './parse.ts';

/** The mails of a box, as far as stories look at them. */
export interface Mailbox {
  readonly mails: readonly { to: string; subject: string; text: string }[];
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface Scene {
  /** The address of the box. */
  url: string;
  /** Sent with each request, such as those that name the store on a box with several. */
  headers: Record<string, string>;
  /** The values of `{{name}}` at the beginning: `operator` is the operator's secret, `slug` the new store's name. */
  values: Record<string, string>;
  /** Where the box sends its mails; null if nobody looks. */
  mailbox: Mailbox | null;
  /** Called with each step that was as written. */
  told(step: string): void;
}

/** How long reads may take to be as written: what a box does after a response takes a moment. */
const patience = 60_000;
/**
 * A mail that was tried while the mail server was away is tried again after 15 seconds, and then after 30, 60 and 120: on a
 * busy machine it may fail again, since no mail is sent for 15 seconds once one has waited long for the server.
 */
const mailPatience = 300_000;

/** Runs a story after the one it begins with. @throws StoryError with file and line for the first step that differs */
export async function runStory(file: string, scene: Scene): Promise<void> {
  await tell(file, scene, new Map(Object.entries(scene.values)), new Set());
}

async function tell(file: string, scene: Scene, values: Values, seen: Set<object>): Promise<void> {
  const { title, after, steps } = parseStory(await readFile(file, 'utf8'));
  if (after) await tell(join(dirname(file), after), scene, values, seen);
  scene.told(title);
  for (const step of steps) {
    try {
      scene.told(`  ${await runStep(step, { ...scene, folder: dirname(file) }, values, seen)}`);
    } catch (error) {
      throw new StoryError(`${file}:${step.line}: ${(error as Error).message}`);
    }
  }
}

/** A scene with the folder whose files a story uploads. */
interface StoryScene extends Scene {
  folder: string;
}

async function runStep(step: Step, scene: StoryScene, values: Values, seen: Set<object>): Promise<string> {
  if (step.kind === 'request') return sendRequest(step, scene, values);
  const { mailbox } = scene;
  if (step.kind === 'mail') {
    if (!mailbox) return `${step.subject} (nobody looks)`;
    return `mail: ${await waitForMail(step, mailbox, values, seen)}`;
  }
  const actions: Record<string, (() => Promise<void>) | undefined> = {
    'stop the mail server': mailbox?.stop,
    'start the mail server': mailbox?.start,
  };
  if (!(step.action in actions)) throw new Error(`nobody can ${step.action}`);
  await actions[step.action]?.();
  return step.action;
}

async function sendRequest(step: RequestStep, { url, headers, folder }: StoryScene, values: Values): Promise<string> {
  const { method } = step;
  const path = fill(step.path, values);
  const text = step.body === null ? undefined : fill(step.body, values);
  const { 'content-type': type = 'application/json', ...others } = step.headers;
  const own = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, fill(value, values)]));
  const isForm = type === 'multipart/form-data';
  const body = isForm ? await formOf(text ?? '', folder) : text;
  // The type of a form has its boundary, which fetch adds.
  const typed: Record<string, string> = body === undefined || isForm ? {} : { 'content-type': type };
  const attempt = async () => {
    const response = await fetch(url + path, { method, headers: { ...headers, ...typed, ...own }, body });
    return differenceInResponse(step, response, values);
  };
  // What follows from an earlier step may come a moment later; only reads can be repeated.
  const until = performance.now() + (method === 'GET' ? patience : 0);
  for (let difference = await attempt(); difference !== null; difference = await attempt()) {
    if (performance.now() >= until) throw new Error(`${method} ${path}: ${difference}`);
    await sleep(250);
  }
  return `${method} ${path} ${step.response.status}`;
}

/** A form whose fields are written as for curl: `name=text`, or `name=@file` for a file beside the story. */
async function formOf(text: string, folder: string): Promise<FormData> {
  const form = new FormData();
  for (const line of text.split('\n')) {
    const [, name, isFile, value] = /^(\w+)=(@?)(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not a field of a form: ${line}`);
    if (isFile) form.append(name, new Blob([await readFile(join(folder, value))]), basename(value));
    else form.append(name, value);
  }
  return form;
}

/** Notes values only if there is no difference. */
async function differenceInResponse(step: RequestStep, response: Response, values: Values): Promise<string | null> {
  const { status, headers, body } = step.response;
  const text = await response.text();
  if (response.status !== status) return `the response is ${response.status}, not ${status}: ${text.slice(0, 1000)}`;
  const noted: Values = new Map(values);
  for (const [name, expected] of Object.entries(headers)) {
    const actual = response.headers.get(name) ?? undefined;
    const difference = differenceOf(expected, actual, noted, name);
    if (difference !== null) return difference;
  }
  if (body !== null) {
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const difference = isJson
      ? differenceOf(JSON.parse(body), JSON.parse(text), noted)
      : body.split('\n').find((line) => !text.includes(fill(line, noted)));
    if (difference) return isJson ? difference : `the body does not contain ${difference}`;
  }
  for (const [name, value] of noted) values.set(name, value);
  return null;
}

/** Waits for a mail that no earlier step has seen. */
async function waitForMail(step: MailStep, mailbox: Mailbox, values: Values, seen: Set<object>): Promise<string> {
  const until = performance.now() + mailPatience;
  for (;;) {
    for (const mail of mailbox.mails) {
      const noted = seen.has(mail) ? null : notedIn(step, mail, values);
      if (noted === null) continue;
      seen.add(mail);
      for (const [name, value] of noted) values.set(name, value);
      return mail.subject;
    }
    if (performance.now() >= until) {
      const others = mailbox.mails.filter((mail) => !seen.has(mail)).map(({ to, subject }) => `${subject} to ${to}`);
      throw new Error(`no such mail; there are: ${others.join('; ') || 'none'}`);
    }
    await sleep(100);
  }
}

function notedIn(step: MailStep, mail: Mailbox['mails'][number], values: Values): Values | null {
  if (mail.to !== fill(step.to, values)) return null;
  const noted: Values = new Map();
  const texts: [string, string, boolean][] = [
    [step.subject, mail.subject, false],
    ...step.lines.map((line): [string, string, boolean] => [line, mail.text, true]),
  ];
  for (const [expected, actual, isPart] of texts) {
    const found = matchText(expected, actual, new Map([...values, ...noted]), isPart);
    if (found === null) return null;
    for (const [name, value] of found) noted.set(name, value);
  }
  return noted;
}
