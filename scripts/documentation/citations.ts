/**
 * Citations of the contract in code: `(contract, Errors)`, `(contract, "What the service does", 4)`,
 * `(contract, ActivateDto, ActivationResult)`, `the contract's CheckoutDto`. Each heading must be one of the contract's,
 * each number one of the list below that heading, and a quotation after the heading must be in the text.
 */
export const contractFile = 'docs/contract.md';

export interface Contract {
  /** Each heading with the text below it, up to the next one of its level or above. */
  sections: Map<string, string>;
  text: string;
}

export function readContract(markdown: string): Contract {
  const parts = markdown.split(/^(?=#+ )/m);
  const sections = new Map<string, string>();
  const levelOf = (part: string) => part.match(/^#+/)?.[0].length ?? 0;
  parts.forEach((part, index) => {
    const [, heading] = /^#+ (.+)/.exec(part) ?? [];
    if (heading === undefined) return;
    const next = parts.findIndex((other, position) => position > index && levelOf(other) <= levelOf(part));
    sections.set(heading, parts.slice(index, next === -1 ? undefined : next).join(''));
  });
  return { sections, text: markdown };
}

/** The first item of a citation begins with a capital or a quotation mark, which tells it from ordinary prose. */
const citation = /\bcontract(?:, \0*(?=["A-Z])|['’]s (?=[A-Z]\w+(?:Dto|Result)))/gi;
const item = /^(?:"([^"]+)"|(\d+)|([A-Z][^,:;).`]*))/;

/** The faults of the citations in a source file, a line each. */
export function checkCitations(file: string, source: string, contract: Contract): string[] {
  // A citation may go on in the next line of its comment.
  const text = source.replace(/\n\s*(?:\*|\/\/) /g, (gap) => ` ${'\0'.repeat(gap.length - 1)}`);
  const faults: string[] = [];
  for (const { 0: start, index } of text.matchAll(citation)) {
    let rest = text.slice(index + start.length).replaceAll('\0', '');
    const say = (what: string) =>
      faults.push(`${file}:${source.slice(0, index).split('\n').length}: ${contractFile} has no ${what}`);
    let heading = '';
    for (;;) {
      const [cited, quoted, number, plain] = item.exec(rest) ?? [];
      if (cited === undefined) break;
      if (number === undefined) {
        heading = (quoted ?? plain ?? '').trim();
        if (start.endsWith('s ')) heading = heading.replace(/ .*/s, '');
        if (!contract.sections.has(heading)) say(`heading "${heading}"`);
      } else if (!new RegExp(`^${number}\\. `, 'm').test(contract.sections.get(heading) ?? '')) {
        say(`rule ${number} below "${heading}"`);
      }
      rest = rest.slice(cited.length);
      const [, quotation] = /^:[^")]*"([^"]+)"/.exec(rest) ?? [];
      if (quotation !== undefined && !contract.text.includes(quotation)) say(`words "${quotation}"`);
      if (!rest.startsWith(', ') || start.endsWith('s ')) break;
      rest = rest.slice(2);
    }
  }
  return faults;
}
