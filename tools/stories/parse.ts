/**
 * Reads a story: Markdown whose code blocks are steps. An `http` block is a request, the next one its response; a `mail`
 * block is a mail that arrives; a `do` block is something that happens outside of the box. The body of a request is JSON,
 * or with `Content-Type: multipart/form-data` fields as curl has them: `name=text`, `name=@file`.
 */

export interface RequestStep {
  kind: 'request';
  line: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** JSON or the fields of a form; may contain `{{name}}`. */
  body: string | null;
  response: { status: number; headers: Record<string, string>; body: string | null };
}

export interface MailStep {
  kind: 'mail';
  line: number;
  to: string;
  subject: string;
  /** Lines that the text contains, in any place. */
  lines: string[];
}

export interface ActionStep {
  kind: 'do';
  line: number;
  action: string;
}

export type Step = RequestStep | MailStep | ActionStep;

export interface Story {
  title: string;
  /** The story that comes before this one: the file's name. */
  after: string | null;
  steps: Step[];
}

export class StoryError extends Error {}

interface Block {
  language: string;
  line: number;
  text: string;
}

/** @throws StoryError with the line for a block that cannot be read */
export function parseStory(markdown: string): Story {
  const steps: Step[] = [];
  let request: Omit<RequestStep, 'response'> | null = null;
  for (const block of blocksOf(markdown)) {
    const isResponse = block.language === 'http' && block.text.startsWith('HTTP/');
    if (request && !isResponse) throw new StoryError(`line ${request.line}: the request has no response`);
    if (block.language === 'mail') steps.push(mailOf(block));
    else if (block.language === 'do') steps.push({ kind: 'do', line: block.line, action: block.text });
    else if (block.language === 'http' && !isResponse) request = requestOf(block);
    else if (isResponse) {
      if (!request) throw new StoryError(`line ${block.line}: the response has no request`);
      steps.push({ ...request, response: responseOf(block) });
      request = null;
    }
  }
  if (request) throw new StoryError(`line ${request.line}: the request has no response`);
  return {
    title: /^# (.+)$/m.exec(markdown)?.[1] ?? 'A story',
    after: /^Begins where \[.+\]\((.+\.md)\) ends\.$/m.exec(markdown)?.[1] ?? null,
    steps,
  };
}

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let block: { language: string; line: number; lines: string[] } | null = null;
  for (const [at, text] of markdown.split('\n').entries()) {
    const fence = /^```(\w*)$/.exec(text);
    if (fence && block) {
      blocks.push({ language: block.language, line: block.line, text: block.lines.join('\n').trim() });
      block = null;
    } else if (fence) block = { language: fence[1] as string, line: at + 1, lines: [] };
    else block?.lines.push(text);
  }
  return blocks;
}

/** The first line, the headers, and what follows the empty line. */
function partsOf({ text, line }: Block) {
  const [head = '', ...rest] = text.split('\n\n');
  const [first = '', ...fields] = head.split('\n');
  const headers = fields.map((field): [string, string] => {
    const [, name, value] = /^([\w-]+): (.*)$/.exec(field) ?? [];
    if (name === undefined || value === undefined) throw new StoryError(`line ${line}: not a header: ${field}`);
    return [name.toLowerCase(), value];
  });
  return { first, headers: Object.fromEntries(headers), body: rest.length > 0 ? rest.join('\n\n') : null };
}

function requestOf(block: Block): Omit<RequestStep, 'response'> {
  const { first, headers, body } = partsOf(block);
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(first) ?? [];
  if (!method || !path) throw new StoryError(`line ${block.line}: not a request: ${first}`);
  return { kind: 'request', line: block.line, method, path, headers, body };
}

function responseOf(block: Block): RequestStep['response'] {
  const { first, headers, body } = partsOf(block);
  const status = Number(/^HTTP\/1\.1 (\d{3})\b/.exec(first)?.[1]);
  if (!status) throw new StoryError(`line ${block.line}: not a status line: ${first}`);
  return { status, headers, body };
}

function mailOf(block: Block): MailStep {
  const { first, headers, body } = partsOf(block);
  const to = /^To: (.+)$/.exec(first)?.[1];
  if (!to || headers.subject === undefined) {
    throw new StoryError(`line ${block.line}: a mail begins with To: and Subject:`);
  }
  const lines = (body ?? '').split('\n').filter((each) => each !== '');
  return { kind: 'mail', line: block.line, to, subject: headers.subject, lines };
}
