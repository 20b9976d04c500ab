/**
 * The phrases of mails about accounts in English, German and Dutch.
 */
import type { InLanguages } from '@carton/runtime';
import type { AccountPhrases } from './phrases.ts';

export const germanic: Pick<InLanguages<AccountPhrases>, 'en' | 'de' | 'nl'> = {
  en: {
    confirmSubject: 'Confirm your e-mail address for {{ store.name }}',
    register: 'please confirm that you want to register at {{ store.name }} with this e-mail address.',
    notRegistered: 'If you have not registered, do nothing: without the confirmation there is no account.',
    confirmRegistration: 'Confirm the registration',
    alreadySubject: 'You already have an account at {{ store.name }}',
    already:
      'this e-mail address was entered for another account at {{ store.name }}. You already have an account with it. If it was you and you have forgotten your password, request a link to reset it. Otherwise do nothing: your account is unchanged.',
    confirmAddress: 'please confirm your e-mail address for {{ store.name }}.',
    nothing: 'If you have not requested this, do nothing.',
    confirmLink: 'Confirm the address',
    newPasswordSubject: 'Set a new password for {{ store.name }}',
    newPassword: 'set a new password for your account at {{ store.name }}.',
    passwordUnchanged: 'If you have not requested this, do nothing: your password is unchanged.',
    newPasswordLink: 'Set a new password',
    setSubject: 'Set your password for {{ store.name }}',
    setPassword:
      'your e-mail address for {{ store.name }} is confirmed. Please set the password of your account: until then, nobody can log in.',
    ignore: 'If you have not registered, do nothing.',
    setLink: 'Set the password',
    changeSubject: 'Confirm your new e-mail address for {{ store.name }}',
    change:
      'please confirm this e-mail address for your account at {{ store.name }}, in the browser in which you are logged in.',
    changedSubject: 'Your e-mail address for {{ store.name }} was changed',
    changed:
      'the e-mail address of your account at {{ store.name }} was changed to another one. If it was not you, please contact the store.',
    welcomeSubject: 'Welcome to {{ store.name }}',
    welcome: 'your account at {{ store.name }} is ready. You can log in with your e-mail address and your password.',
  },
  de: {
    confirmSubject: 'Bestätigen Sie Ihre E-Mail-Adresse für {{ store.name }}',
    register:
      'bitte bestätigen Sie, dass Sie sich mit dieser E-Mail-Adresse bei {{ store.name }} registrieren möchten.',
    notRegistered:
      'Wenn Sie sich nicht registriert haben, brauchen Sie nichts zu tun: Ohne Bestätigung entsteht kein Konto.',
    confirmRegistration: 'Registrierung bestätigen',
    alreadySubject: 'Sie haben bereits ein Konto bei {{ store.name }}',
    already:
      'diese E-Mail-Adresse wurde für ein weiteres Konto bei {{ store.name }} angegeben. Sie haben damit bereits ein Konto. Wenn Sie das waren und Ihr Passwort vergessen haben, fordern Sie einen Link zum Zurücksetzen an. Andernfalls brauchen Sie nichts zu tun: Ihr Konto ist unverändert.',
    confirmAddress: 'bitte bestätigen Sie Ihre E-Mail-Adresse für {{ store.name }}.',
    nothing: 'Wenn Sie das nicht angefordert haben, brauchen Sie nichts zu tun.',
    confirmLink: 'Adresse bestätigen',
    newPasswordSubject: 'Legen Sie ein neues Passwort für {{ store.name }} fest',
    newPassword: 'hier können Sie ein neues Passwort für Ihr Konto bei {{ store.name }} festlegen.',
    passwordUnchanged:
      'Wenn Sie das nicht angefordert haben, brauchen Sie nichts zu tun: Ihr Passwort ist unverändert.',
    newPasswordLink: 'Neues Passwort festlegen',
    setSubject: 'Legen Sie Ihr Passwort für {{ store.name }} fest',
    setPassword:
      'Ihre E-Mail-Adresse für {{ store.name }} ist bestätigt. Bitte legen Sie das Passwort Ihres Kontos fest: Bis dahin kann sich niemand anmelden.',
    ignore: 'Wenn Sie sich nicht registriert haben, brauchen Sie nichts zu tun.',
    setLink: 'Passwort festlegen',
    changeSubject: 'Bestätigen Sie Ihre neue E-Mail-Adresse für {{ store.name }}',
    change:
      'bitte bestätigen Sie diese E-Mail-Adresse für Ihr Konto bei {{ store.name }}, und zwar in dem Browser, in dem Sie angemeldet sind.',
    changedSubject: 'Ihre E-Mail-Adresse für {{ store.name }} wurde geändert',
    changed:
      'die E-Mail-Adresse Ihres Kontos bei {{ store.name }} wurde geändert. Wenn Sie das nicht waren, wenden Sie sich bitte an das Geschäft.',
    welcomeSubject: 'Willkommen bei {{ store.name }}',
    welcome:
      'Ihr Konto bei {{ store.name }} ist bereit. Sie können sich mit Ihrer E-Mail-Adresse und Ihrem Passwort anmelden.',
  },
  nl: {
    confirmSubject: 'Bevestig uw e-mailadres voor {{ store.name }}',
    register: 'Bevestig dat u zich met dit e-mailadres bij {{ store.name }} wilt registreren.',
    notRegistered:
      'Hebt u zich niet geregistreerd? Dan hoeft u niets te doen: zonder bevestiging komt er geen account.',
    confirmRegistration: 'Registratie bevestigen',
    alreadySubject: 'U hebt al een account bij {{ store.name }}',
    already:
      'Dit e-mailadres is opgegeven voor nog een account bij {{ store.name }}. U hebt er al een account mee. Was u het en bent u uw wachtwoord vergeten, vraag dan een link aan om het opnieuw in te stellen. Anders hoeft u niets te doen: uw account is ongewijzigd.',
    confirmAddress: 'Bevestig uw e-mailadres voor {{ store.name }}.',
    nothing: 'Hebt u dit niet aangevraagd? Dan hoeft u niets te doen.',
    confirmLink: 'Adres bevestigen',
    newPasswordSubject: 'Stel een nieuw wachtwoord in voor {{ store.name }}',
    newPassword: 'Stel een nieuw wachtwoord in voor uw account bij {{ store.name }}.',
    passwordUnchanged: 'Hebt u dit niet aangevraagd? Dan hoeft u niets te doen: uw wachtwoord is ongewijzigd.',
    newPasswordLink: 'Nieuw wachtwoord instellen',
    setSubject: 'Stel uw wachtwoord in voor {{ store.name }}',
    setPassword:
      'Uw e-mailadres voor {{ store.name }} is bevestigd. Stel het wachtwoord van uw account in: tot die tijd kan niemand inloggen.',
    ignore: 'Hebt u zich niet geregistreerd? Dan hoeft u niets te doen.',
    setLink: 'Wachtwoord instellen',
    changeSubject: 'Bevestig uw nieuwe e-mailadres voor {{ store.name }}',
    change: 'Bevestig dit e-mailadres voor uw account bij {{ store.name }}, in de browser waarin u bent ingelogd.',
    changedSubject: 'Uw e-mailadres voor {{ store.name }} is gewijzigd',
    changed:
      'Het e-mailadres van uw account bij {{ store.name }} is gewijzigd. Was u dit niet, neem dan contact op met de winkel.',
    welcomeSubject: 'Welkom bij {{ store.name }}',
    welcome: 'Uw account bij {{ store.name }} is klaar. U kunt inloggen met uw e-mailadres en uw wachtwoord.',
  },
};
