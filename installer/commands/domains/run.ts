/**
 * The command lines of `domains`.
 */
import { exitCodes } from '../../exit-codes.ts';
import { chooseOutput } from '../../output/choose.ts';
import type { Output } from '../../output/output.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { changeDomains, type DomainStatus, isProved, listDomains, stepsOf, watchDomains } from './domains.ts';

interface Options {
  dir: string;
  json?: boolean;
}

interface StatusOptions extends Options {
  watch?: boolean;
  check?: boolean;
  /** Seconds. */
  every: number;
}

/** Runs `domains list` and sets the exit status: 0 only if all are proved. */
export async function runDomainsList({ dir, json }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const domains = await listDomains({ dir, signal: abortOnSignals(), warner: output });
    const width = Math.max(...domains.map(({ domain }) => domain.length), 0);
    return end(
      output,
      domains,
      domains.map(({ domain, state }) => `${domain.padEnd(width)}  ${state}`),
    );
  });
}

/** Runs `domains status` and sets the exit status: 0 only if all are proved. */
export async function runDomainsStatus({ dir, json, watch, check, every }: StatusOptions): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const signal = abortOnSignals();
    if (!watch) {
      const domains = await listDomains({ dir, check, signal, warner: output });
      return end(output, domains, describeDomains(domains));
    }
    const began = Date.now();
    const known = new Map<string, string>();
    const domains = await watchDomains({ dir, signal, seconds: Math.max(every, 1) }, (checked) => {
      for (const domain of checked) reportChange(output, domain, known);
      const missing = checked.filter((each) => !isProved(each)).map(({ domain }) => domain);
      if (missing.length > 0) output.waiting(`waiting for ${missing.join(', ')}`, (Date.now() - began) / 1000);
    });
    return end(output, domains, ['All domains are proved.']);
  });
}

/** Says what is wrong with a domain when that has changed. */
function reportChange(output: Output, domain: DomainStatus, known: Map<string, string>): void {
  const { domain: name, state } = domain;
  const text = [`${name} is ${state}`, ...stepsOf(domain)].join('\n    ');
  if (known.get(name) === text) return;
  known.set(name, text);
  if (isProved(domain)) output.info('proved', text, { domain: name });
  else output.warn(text, { domain: name, state, errors: domain.errors });
}

/** Runs `domains add` and sets the exit status. */
export async function runDomainsAdd(options: Options & { domains: string[] }): Promise<void> {
  await runChange(options, { add: options.domains });
}

/** Runs `domains remove` and sets the exit status. */
export async function runDomainsRemove(options: Options & { domains: string[] }): Promise<void> {
  await runChange(options, { remove: options.domains });
}

async function runChange({ dir, json }: Options, changes: { add?: string[]; remove?: string[] }): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const domains = await changeDomains({ dir, signal: abortOnSignals(), warner: output }, changes);
    output.result({ domains }, describeDomains(domains));
    return 0;
  });
}

function end(output: Output, domains: readonly DomainStatus[], lines: string[]): number {
  const exitCode = exitCodes[domains.every(isProved) ? 'ok' : 'domains_not_proved'].status;
  output.result({ domains }, lines.length > 0 ? lines : ['The box has no domains.'], exitCode);
  return exitCode;
}

/** The domains with what is to be done for each. */
export function describeDomains(domains: readonly DomainStatus[]): string[] {
  return domains.flatMap((domain) => [
    `${domain.domain}  ${domain.state}${domain.provedBy ? ` (${domain.provedBy})` : ''}`,
    ...stepsOf(domain).map((step) => `    ${step}`),
  ]);
}
