/**
 * Redaction of texts that leave the machine: known secrets in every form in which they occur, and what looks like a secret or
 * personal data.
 */

const replacement = '[redacted]';
/** Shorter values, such as a user's name, would also remove parts of other words; of encoded ones, even longer. */
const shortest = { alone: 4, encoded: 6 };
/** What may be text in base64. */
const encodedText = /[A-Za-z0-9+/_-]{16,}={0,2}/g;

/** Returns a text without secrets and personal data. */
export type Redact = (text: string) => string;

/**
 * What is redacted besides known secrets, in this order. In URLs the credentials and the query string go: log lines have
 * tokens there.
 */
const patterns: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, replacement],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'`]+@/gi, `$1${replacement}@`],
  [
    /\b(authorization|proxy-authorization|cookie|set-cookie|x-hosting-secret|x-api-key)(\\?["']?\s*[:=]\s*)(\\?")?[^"\n]+/gi,
    `$1$2$3${replacement}`,
  ],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/g, `$1 ${replacement}`],
  [
    /\b(password|passwd|secret|token|api[_-]?key|access[_-]?key|signature)(\\?["']?\s*[:=]\s*\\?["']?)[^\s"',;&}\\]+/gi,
    `$1$2${replacement}`,
  ],
  // A query string of a path or URL.
  [/(\/[^\s"'?<>]*)\?[^\s"'<>\\)]+/g, `$1?${replacement}`],
  // JSON Web Tokens, keys of the vendor and of payment services.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, replacement],
  [/\b(ctn|sk|rk|whsec|EZ[AT]K)_?[A-Za-z0-9_]{8,}/g, replacement],
  // E-mail addresses (also with @ encoded) and telephone numbers.
  [/[\p{L}\p{N}._%+'-]+(@|%40)[\p{L}\p{N}.-]+\.[\p{L}]{2,}/gu, replacement],
  [/(?:\+|%2B)\d(?:[\d ()/-]|%20){7,}\d/gi, replacement],
  // Addresses of clients, but not those of this machine.
  [/\b(?!127\.|0\.0\.0\.0\b)(\d{1,3}\.){3}\d{1,3}\b/g, replacement],
  [/\b(?=[\da-f:]*:[\da-f]*:)(?!\d{2}:\d{2}(:\d{2})?\b)([\da-f]{1,4}:){2,7}(:?[\da-f]{1,4})+\b/gi, replacement],
];

/** @param secrets values that must not be in the result, nor their base64, hexadecimal, JSON or URL-encoded forms */
export function redactorOf(secrets: Iterable<string>): Redact {
  const forms = new Set<string>();
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  // Longer forms first: a secret may contain another one.
  const sorted = [...forms].sort((one, other) => other.length - one.length);
  const redactPlain: Redact = (text) => {
    let redacted = text;
    for (const form of sorted) redacted = redacted.replaceAll(form, replacement);
    for (const [pattern, to] of patterns) redacted = redacted.replace(pattern, to);
    return redacted;
  };
  return (text) =>
    redactPlain(text).replace(encodedText, (encoded) => {
      const decoded = Buffer.from(encoded, 'base64').toString('utf8');
      const isText = /^[\t\n\r\x20-\x7e\u00a0-\ufffc]+$/.test(decoded);
      return isText && redactPlain(decoded) !== decoded ? replacement : encoded;
    });
}

/** Removes the values in lines of PostgreSQL's log: those of statements and of rows are the data of shoppers. */
export function redactStatements(text: string): string {
  return text
    .replace(/'(?:[^'\n]|'')*'/g, `'${replacement}'`)
    .replace(/\)=\(.*?\)(?= |$)/gm, `)=(${replacement})`)
    .replace(/(Failing row contains|CONTEXT: {2}COPY [^:]*:).*/g, `$1 ${replacement}`);
}

/** A secret, its parts if it is a URL with a password, and each in its encodings. */
function formsOf(secret: string): string[] {
  const parts = [secret, ...passwordOf(secret)].filter((part) => part.length >= shortest.alone);
  return parts.flatMap((part) => {
    if (part.length < shortest.encoded) return [part];
    const bytes = Buffer.from(part);
    return [
      part,
      encodeURIComponent(part),
      encodeURI(part),
      new URLSearchParams({ a: part }).toString().slice(2),
      JSON.stringify(part).slice(1, -1),
      bytes.toString('hex'),
      ...base64Forms(bytes),
    ];
  });
}

/** In base64 a text has three forms, by its position in the text around it; the outer characters depend on that text. */
function base64Forms(bytes: Buffer): string[] {
  return (['base64', 'base64url'] as const).flatMap((encoding) => {
    const alone = bytes.toString(encoding);
    const within = [0, 1, 2].map((offset) => {
      const padded = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString('base64')
        .replace(/=+$/, '');
      const first = Math.ceil((offset * 8) / 6);
      const last = Math.floor(((offset + bytes.length) * 8) / 6);
      const part = padded.slice(first, last);
      return encoding === 'base64' ? part : part.replaceAll('+', '-').replaceAll('/', '_');
    });
    return [alone, ...within].filter((form) => form.length >= shortest.encoded);
  });
}

function passwordOf(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password } = new URL(text);
  return [password, decode(password), `${username}:${password}`].filter((part) => part.length > 1);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
