/**
 * Provinces that the data of the standard lack: those of the post in the United States, Aosta, and the counties of Norway
 * since 2024, which are in those of before.
 */

export const missingProvinces: readonly { code: string; name: string; parent: string }[] = [
  { code: 'IT-AO', name: 'Aosta', parent: 'IT-23' },
  { code: 'NO-31', name: 'Østfold', parent: 'NO-30' },
  { code: 'NO-32', name: 'Akershus', parent: 'NO-30' },
  { code: 'NO-33', name: 'Buskerud', parent: 'NO-30' },
  { code: 'NO-39', name: 'Vestfold', parent: 'NO-38' },
  { code: 'NO-40', name: 'Telemark', parent: 'NO-38' },
  { code: 'NO-55', name: 'Troms', parent: 'NO-54' },
  { code: 'NO-56', name: 'Finnmark', parent: 'NO-54' },
  { code: 'US-AA', name: 'Armed Forces Americas', parent: 'US' },
  { code: 'US-AE', name: 'Armed Forces Europe', parent: 'US' },
  { code: 'US-AP', name: 'Armed Forces Pacific', parent: 'US' },
  { code: 'US-FM', name: 'Micronesia', parent: 'US' },
  { code: 'US-MH', name: 'Marshall Islands', parent: 'US' },
  { code: 'US-PW', name: 'Palau', parent: 'US' },
];
