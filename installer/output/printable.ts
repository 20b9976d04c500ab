/**
 * Texts of the registry, the control plane, proxies and logs as they are shown: what they contain must not move the cursor,
 * set the clipboard, hide text or look like a line of this command. URLs are shown without the passwords in them.
 */

/** Control characters of both sets (ECMA-48), line separators, and marks that change the direction of text (UAX #9). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;
/** Longer than any message of this command, with two paths. */
const maxLength = 4000;

/**
 * A text in which no URL has a user name and a password. Whatever is before `://` is taken for a scheme: a search for its
 * beginning takes very long in a text of many letters.
 */
export function withoutPasswords(text: string): string {
  return text.replace(/:\/\/[^\s/?#"'<>\\]*@/g, '://…@');
}

/** Returns a text in visible characters: one line, and further ones only if they are indented by four spaces. */
export function printable(text: string): string {
  const shown = withoutPasswords(text)
    .split('\n    ')
    .map((line) => line.replace(hidden, '\ufffd'))
    .join('\n    ');
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown;
}

/** Returns JSON in which these characters are escaped; its meaning is the same, but for passwords in URLs. */
export function printableJson(json: string): string {
  return withoutPasswords(json).replace(hidden, (characters) =>
    [...characters].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  );
}
