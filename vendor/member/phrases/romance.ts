/**
 * The phrases of mails about accounts in French, Spanish and Italian.
 */
import type { InLanguages } from '@carton/runtime';
import type { AccountPhrases } from './phrases.ts';

export const romance: Pick<InLanguages<AccountPhrases>, 'fr' | 'es' | 'it'> = {
  fr: {
    confirmSubject: 'Confirmez votre adresse e-mail pour {{ store.name }}',
    register: 'veuillez confirmer que vous souhaitez vous inscrire chez {{ store.name }} avec cette adresse e-mail.',
    notRegistered: 'Si vous ne vous êtes pas inscrit, ignorez ce message : sans confirmation, aucun compte n’est créé.',
    confirmRegistration: 'Confirmer l’inscription',
    alreadySubject: 'Vous avez déjà un compte chez {{ store.name }}',
    already:
      'cette adresse e-mail a été saisie pour un autre compte chez {{ store.name }}. Vous avez déjà un compte avec cette adresse. Si c’était vous et que vous avez oublié votre mot de passe, demandez un lien pour le réinitialiser. Sinon, ignorez ce message : votre compte n’a pas changé.',
    confirmAddress: 'veuillez confirmer votre adresse e-mail pour {{ store.name }}.',
    nothing: 'Si vous n’avez rien demandé, ignorez ce message.',
    confirmLink: 'Confirmer l’adresse',
    newPasswordSubject: 'Choisissez un nouveau mot de passe pour {{ store.name }}',
    newPassword: 'choisissez un nouveau mot de passe pour votre compte chez {{ store.name }}.',
    passwordUnchanged: 'Si vous n’avez rien demandé, ignorez ce message : votre mot de passe n’a pas changé.',
    newPasswordLink: 'Choisir un nouveau mot de passe',
    setSubject: 'Choisissez votre mot de passe pour {{ store.name }}',
    setPassword:
      'votre adresse e-mail pour {{ store.name }} est confirmée. Veuillez choisir le mot de passe de votre compte : d’ici là, personne ne peut s’y connecter.',
    ignore: 'Si vous ne vous êtes pas inscrit, ignorez ce message.',
    setLink: 'Choisir le mot de passe',
    changeSubject: 'Confirmez votre nouvelle adresse e-mail pour {{ store.name }}',
    change:
      'veuillez confirmer cette adresse e-mail pour votre compte chez {{ store.name }}, dans le navigateur où vous êtes connecté.',
    changedSubject: 'Votre adresse e-mail pour {{ store.name }} a été modifiée',
    changed:
      'l’adresse e-mail de votre compte chez {{ store.name }} a été modifiée. Si ce n’était pas vous, veuillez contacter la boutique.',
    welcomeSubject: 'Bienvenue chez {{ store.name }}',
    welcome:
      'votre compte chez {{ store.name }} est prêt. Vous pouvez vous connecter avec votre adresse e-mail et votre mot de passe.',
  },
  es: {
    confirmSubject: 'Confirme su dirección de correo electrónico para {{ store.name }}',
    register: 'Confirme que quiere registrarse en {{ store.name }} con esta dirección de correo electrónico.',
    notRegistered: 'Si no se ha registrado, no tiene que hacer nada: sin la confirmación no se crea ninguna cuenta.',
    confirmRegistration: 'Confirmar el registro',
    alreadySubject: 'Ya tiene una cuenta en {{ store.name }}',
    already:
      'Se ha introducido esta dirección de correo electrónico para otra cuenta en {{ store.name }}. Ya tiene una cuenta con ella. Si ha sido usted y ha olvidado su contraseña, solicite un enlace para restablecerla. Si no, no tiene que hacer nada: su cuenta no ha cambiado.',
    confirmAddress: 'Confirme su dirección de correo electrónico para {{ store.name }}.',
    nothing: 'Si no lo ha solicitado, no tiene que hacer nada.',
    confirmLink: 'Confirmar la dirección',
    newPasswordSubject: 'Establezca una nueva contraseña para {{ store.name }}',
    newPassword: 'Establezca una nueva contraseña para su cuenta en {{ store.name }}.',
    passwordUnchanged: 'Si no lo ha solicitado, no tiene que hacer nada: su contraseña no ha cambiado.',
    newPasswordLink: 'Establecer una nueva contraseña',
    setSubject: 'Establezca su contraseña para {{ store.name }}',
    setPassword:
      'Su dirección de correo electrónico para {{ store.name }} está confirmada. Establezca la contraseña de su cuenta: hasta entonces nadie puede iniciar sesión.',
    ignore: 'Si no se ha registrado, no tiene que hacer nada.',
    setLink: 'Establecer la contraseña',
    changeSubject: 'Confirme su nueva dirección de correo electrónico para {{ store.name }}',
    change:
      'Confirme esta dirección de correo electrónico para su cuenta en {{ store.name }}, en el navegador en el que ha iniciado sesión.',
    changedSubject: 'Se ha cambiado su dirección de correo electrónico para {{ store.name }}',
    changed:
      'Se ha cambiado la dirección de correo electrónico de su cuenta en {{ store.name }}. Si no ha sido usted, póngase en contacto con la tienda.',
    welcomeSubject: 'Le damos la bienvenida a {{ store.name }}',
    welcome:
      'Su cuenta en {{ store.name }} está lista. Puede iniciar sesión con su dirección de correo electrónico y su contraseña.',
  },
  it: {
    confirmSubject: 'Confermi il suo indirizzo e-mail per {{ store.name }}',
    register:
      'la preghiamo di confermare che desidera registrarsi presso {{ store.name }} con questo indirizzo e-mail.',
    notRegistered: 'Se non si è registrato, non deve fare nulla: senza conferma non viene creato alcun account.',
    confirmRegistration: 'Conferma la registrazione',
    alreadySubject: 'Ha già un account presso {{ store.name }}',
    already:
      'questo indirizzo e-mail è stato inserito per un altro account presso {{ store.name }}. Ha già un account con questo indirizzo. Se è stato lei e ha dimenticato la password, richieda un link per reimpostarla. Altrimenti non deve fare nulla: il suo account è invariato.',
    confirmAddress: 'la preghiamo di confermare il suo indirizzo e-mail per {{ store.name }}.',
    nothing: 'Se non l’ha richiesto, non deve fare nulla.',
    confirmLink: 'Conferma l’indirizzo',
    newPasswordSubject: 'Imposti una nuova password per {{ store.name }}',
    newPassword: 'imposti una nuova password per il suo account presso {{ store.name }}.',
    passwordUnchanged: 'Se non l’ha richiesto, non deve fare nulla: la sua password è invariata.',
    newPasswordLink: 'Imposta una nuova password',
    setSubject: 'Imposti la sua password per {{ store.name }}',
    setPassword:
      'il suo indirizzo e-mail per {{ store.name }} è confermato. Imposti la password del suo account: fino ad allora nessuno può accedere.',
    ignore: 'Se non si è registrato, non deve fare nulla.',
    setLink: 'Imposta la password',
    changeSubject: 'Confermi il suo nuovo indirizzo e-mail per {{ store.name }}',
    change:
      'la preghiamo di confermare questo indirizzo e-mail per il suo account presso {{ store.name }}, nel browser in cui ha effettuato l’accesso.',
    changedSubject: 'Il suo indirizzo e-mail per {{ store.name }} è stato modificato',
    changed:
      'l’indirizzo e-mail del suo account presso {{ store.name }} è stato modificato. Se non è stato lei, contatti il negozio.',
    welcomeSubject: 'Benvenuto in {{ store.name }}',
    welcome:
      'il suo account presso {{ store.name }} è pronto. Può accedere con il suo indirizzo e-mail e la sua password.',
  },
};
