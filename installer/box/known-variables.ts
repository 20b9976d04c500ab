/**
 * The variables of `box.env` that reach a box, besides the settings that its release declares. What is named nowhere reaches
 * no box: a variable such as `NODE_OPTIONS` or `LD_PRELOAD` runs any program as the user of the box, so a line that came into
 * the file by a mistake, or with a backup, must not do so.
 */

/** What the command itself reads; of these, a box gets none. */
const ofCommand = /^(LICENSE_KEY|BACKUP_S3_[A-Z_]+)$/;

/** What libraries of a box read, as its documentation says. None of them names a program or a file with one. */
const ofLibraries =
  /^(OTEL_(EXPORTER_OTLP(_TRACES)?_(ENDPOINT|PROTOCOL|HEADERS|CERTIFICATE|COMPRESSION|TIMEOUT)|SERVICE_NAME|RESOURCE_ATTRIBUTES|TRACES_SAMPLER(_ARG)?|TRACES_EXPORTER|BSP_\w+|SDK_DISABLED)|AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|REGION|DEFAULT_REGION))$/;

/** The environment of its machine: a box gets it, and a restore does not take it from another machine. */
const ofMachine =
  /^(TZ|LANG|LC_[A-Z]+|TMPDIR|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)$/;

/** Options of Node.js in `NODE_OPTIONS` that load no code: sizes, the order of addresses, and conditions of exports. */
const harmlessOption =
  /^--((max-(old|semi)-space-size|max-http-header-size|stack-trace-limit)=\d{1,7}|dns-result-order=\w+|conditions=[\w-]+)$/;

/** The settings of releases that cannot be asked, of before 0.3, and what the command reads for them. */
const ofEarlierReleases =
  'DATABASE_URL DATABASE_POOL_SIZE TRUST_PROXY LOG_LEVEL SLOW_QUERY_MILLISECONDS DRAIN_SECONDS METRICS_SECRET WORKERS ' +
  'WAL_ARCHIVE_FOLDER REQUEST_DEADLINE SECURE_COOKIES OPERATOR_SECRET HOSTING_SECRET RATE_LIMIT_READ RATE_LIMIT_WRITE ' +
  'RATE_LIMIT_CHECKOUT RATE_LIMIT_LOGIN EVENT_RETENTION_DAYS STAFF_APP_URL SECOND_FACTOR_KEY MEDIA_STORAGE MEDIA_FOLDER ' +
  'MEDIA_S3_BUCKET MEDIA_S3_REGION MEDIA_S3_ENDPOINT MEDIA_S3_ACCESS_KEY_ID MEDIA_S3_SECRET_ACCESS_KEY ' +
  'MEDIA_FILE_MEGABYTES MEDIA_PICTURE_MEGABYTES MEDIA_PICTURE_MEGAPIXELS MEDIA_QUOTA_MEGABYTES CART_RETENTION_DAYS ' +
  'PAYMENT_ADAPTERS PAYMENT_SESSION_LIFETIME STRIPE_SECRET_KEY STRIPE_WEBHOOK_SECRET STRIPE_PUBLISHABLE_KEY ' +
  'STRIPE_ACCOUNTS STRIPE_API_URL TENANT_HOST_LIMIT TENANT_DELETION_DAYS TENANT_EXPORT_FOLDER TENANT_EXPORT_HOURS ' +
  'DNS_SERVERS CARRIER_SERVICE CARRIER_TIMEOUT CARRIER_PAUSE CARRIER_QUOTE_MINUTES EASYPOST_API_KEY EASYPOST_ACCOUNTS ' +
  'EASYPOST_API_URL SMTP_HOST SMTP_PORT SMTP_TLS SMTP_USER SMTP_PASSWORD MAIL_FROM MAIL_DKIM_KEYS MAIL_RETENTION_DAYS ' +
  'TAX_PROVIDERS TAX_PROVIDER_TIMEOUT TAX_PROVIDER_PAUSE TAX_QUOTE_MINUTES TAX_STRIPE_API_URL';
export const earlierSettings: ReadonlySet<string> = new Set(ofEarlierReleases.split(' '));

/** A variable that decides which code a process runs is none even for a release that declares it. */
const ofProcesses =
  /^(NODE_.*|LD_.*|DYLD_.*|NPM_.*|npm_.*|BASH_.*|ENV|PATH|HOME|SHELL|IFS|PYTHON.*|PERL.*|GCONV_PATH)$/;

/** Whether a variable is a setting of the box or of this command, which a restore takes from a backup. */
export function isSetting(name: string, declared: ReadonlySet<string>): boolean {
  if (ofProcesses.test(name)) return false;
  return declared.has(name) || ofCommand.test(name) || ofLibraries.test(name);
}

/** Whether a line of `box.env` has an effect: it is a setting, or of the environment of a machine. */
export function isAccepted(name: string, value: string, declared: ReadonlySet<string>): boolean {
  if (name === 'NODE_OPTIONS')
    return value.split(/\s+/).every((option) => option === '' || harmlessOption.test(option));
  return isSetting(name, declared) || ofMachine.test(name);
}

/** The variables of `box.env` that reach a box. */
export function passedVariables(
  secrets: Readonly<Record<string, string | undefined>>,
  declared: ReadonlySet<string>,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(secrets)) {
    if (value !== undefined && !ofCommand.test(name) && isAccepted(name, value, declared)) passed[name] = value;
  }
  return passed;
}

/** The names of variables in `box.env` that have no effect. */
export function ignoredVariables(
  secrets: Readonly<Record<string, string | undefined>>,
  declared: ReadonlySet<string>,
): string[] {
  return Object.entries(secrets).flatMap(([name, value]) => (isAccepted(name, value ?? '', declared) ? [] : [name]));
}
