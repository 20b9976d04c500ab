/**
 * Request bodies of the API: `application/x-www-form-urlencoded`, with brackets for nested values.
 */

export type FormValue = string | { [key: string]: FormValue };
export type Form = { [key: string]: FormValue };

/** `metadata[step]=1&expand[0]=a` is `{ metadata: { step: '1' }, expand: { 0: 'a' } }`. */
export function parseForm(text: string): Form {
  const form: Form = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\]?\[|\]$/).filter((part, index) => part !== '' || index === 0);
    const last = path.pop() as string;
    let place = form;
    for (const part of path) {
      const deeper = place[part];
      place = place[part] = typeof deeper === 'object' ? deeper : Object.create(null);
    }
    place[last] = value;
  }
  return form;
}

export function textOf(value: FormValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The string entries of a nested value; none if it is missing. */
export function entriesOf(value: FormValue | undefined): Record<string, string> {
  if (typeof value !== 'object') return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => textOf(entry[1]) !== undefined),
  );
}
