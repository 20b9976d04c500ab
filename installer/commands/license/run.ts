/**
 * The command lines of `license`.
 */
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { Failure } from '../../failure.ts';
import { chooseOutput } from '../../output/choose.ts';
import type { LicenseTerms } from '../../registration.ts';
import { variable, vendor } from '../../vendor.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { readSecretFile } from '../support/secret-file.ts';
import { type LicenseResult, readLicense, replaceLicense } from './license.ts';

interface Options {
  dir: string;
  json?: boolean;
}

const codes: Record<LicenseResult['state'], ExitCode> = {
  active: 'ok',
  not_active: 'key_not_active',
  wrong_key: 'wrong_key',
  unknown: 'control_plane_unavailable',
};

/** Runs `license show` and sets the exit status: 0 only for an active licence. */
export async function runLicenseShow({ dir, json }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const { failure, ...licence } = await readLicense({ dir, signal: abortOnSignals() });
    if (failure) output.warn(`${failure.message}. ${failure.advice}`, { code: failure.code });
    const exitCode = exitCodes[codes[licence.state]].status;
    output.result(licence, describe(licence), exitCode);
    return exitCode;
  });
}

function describe({ state, key, tier, customerId, channel, packages, terms, installedTier }: LicenseResult): string[] {
  const states = {
    active: 'active',
    not_active: `${terms?.status ?? 'not active'}; the box goes on serving`,
    wrong_key: 'unknown to the control plane',
    unknown: 'not known; below is what the last install found',
  };
  return [
    `licence   ${key ?? 'none'}`,
    `state     ${states[state]}`,
    `tier      ${tier}${installedTier ? ` (installed: ${installedTier}; ${vendor} install changes it)` : ''}`,
    `customer  ${customerId}`,
    `channel   ${channel}`,
    ...(terms ? describeTerms(terms) : []),
    ...(packages ? [`packages  ${packages.length}`, ...packages.map((name) => `          ${name}`)] : []),
  ];
}

function describeTerms({ expiresAt, trial, maxBoxes, maxInstallations, endsAt }: LicenseTerms): string[] {
  return [
    `expires   ${expiresAt ?? 'never'}${trial ? ' (trial)' : ''}`,
    ...(endsAt ? [`ends      ${endsAt}, since another licence replaces it`] : []),
    `limits    ${maxBoxes ?? 'any number of'} boxes, ${maxInstallations ?? 'any number of'} installations`,
  ];
}

/** Runs `license replace` and sets the exit status. */
export async function runLicenseReplace({ dir, json, keyFile }: Options & { keyFile?: string }): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const key = keyFile ? await readSecretFile(keyFile) : process.env[variable('LICENSE_KEY')];
    if (!key) {
      const advice = `Save the key in a file and use --key-file <path>, or set ${variable('LICENSE_KEY')}`;
      throw new Failure('usage', 'no licence key specified', advice);
    }
    const result = await replaceLicense({ dir, key, signal: abortOnSignals() }, output);
    const { changed, tier, installedTier } = result;
    output.result(result, [
      changed ? `The box has the licence ${result.key}: ${tier} tier.` : 'The box has this licence key already.',
      ...(tier === installedTier ? [] : [`It is of the ${installedTier} tier until ${vendor} install.`]),
    ]);
    return 0;
  });
}
