/**
 * The phrases of mails about accounts, in Liquid.
 */

export interface AccountPhrases {
  confirmSubject: string;
  register: string;
  notRegistered: string;
  confirmRegistration: string;
  alreadySubject: string;
  already: string;
  confirmAddress: string;
  nothing: string;
  confirmLink: string;
  newPasswordSubject: string;
  newPassword: string;
  passwordUnchanged: string;
  newPasswordLink: string;
  setSubject: string;
  setPassword: string;
  ignore: string;
  setLink: string;
  changeSubject: string;
  change: string;
  changedSubject: string;
  changed: string;
  welcomeSubject: string;
  welcome: string;
}
