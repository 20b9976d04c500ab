/**
 * The phrases of mails to staff, in Liquid, in all languages.
 */
import type { InLanguages } from '@carton/runtime';

interface StaffPhrases {
  inviteSubject: string;
  invite: string;
  acceptInvite: string;
  resetSubject: string;
  reset: string;
  resetLink: string;
  confirmSubject: string;
  confirm: string;
  confirmLink: string;
  changedSubject: string;
  changed: string;
}

const store = '{{ store.name }}';
const role = '{{ role }}';

export const staffPhrases: InLanguages<StaffPhrases> = {
  en: {
    inviteSubject: `You are invited to ${store}`,
    invite: `You are invited to join the staff of ${store} as ${role}.`,
    acceptInvite: 'Accept the invite',
    resetSubject: 'Reset your password',
    reset: `someone, probably you, wants to reset your password for ${store}. If not, ignore this mail.`,
    resetLink: 'Reset the password',
    confirmSubject: 'Confirm your e-mail address',
    confirm: `confirm that you want to use this e-mail address at ${store}. If you have not requested this, ignore this mail.`,
    confirmLink: 'Confirm the address',
    changedSubject: 'Your e-mail address was changed',
    changed: `the e-mail address of your staff account at ${store} was changed, and this one no longer gives access. If it was not you, tell an owner of the store now.`,
  },
  de: {
    inviteSubject: `Sie sind zu ${store} eingeladen`,
    invite: `Sie sind eingeladen, als ${role} im Team von ${store} mitzuarbeiten.`,
    acceptInvite: 'Einladung annehmen',
    resetSubject: 'Setzen Sie Ihr Passwort zurück',
    reset: `jemand, vermutlich Sie, möchte Ihr Passwort für ${store} zurücksetzen. Wenn nicht, ignorieren Sie diese E-Mail.`,
    resetLink: 'Passwort zurücksetzen',
    confirmSubject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    confirm: `bestätigen Sie, dass Sie diese E-Mail-Adresse bei ${store} verwenden möchten. Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail.`,
    confirmLink: 'Adresse bestätigen',
    changedSubject: 'Ihre E-Mail-Adresse wurde geändert',
    changed: `die E-Mail-Adresse Ihres Mitarbeiterkontos bei ${store} wurde geändert; mit dieser Adresse ist keine Anmeldung mehr möglich. Wenn Sie das nicht waren, benachrichtigen Sie sofort einen Inhaber des Geschäfts.`,
  },
  fr: {
    inviteSubject: `Vous êtes invité(e) chez ${store}`,
    invite: `Vous êtes invité(e) à rejoindre l’équipe de ${store} en tant que ${role}.`,
    acceptInvite: 'Accepter l’invitation',
    resetSubject: 'Réinitialisez votre mot de passe',
    reset: `quelqu’un, sans doute vous, souhaite réinitialiser votre mot de passe pour ${store}. Sinon, ignorez ce message.`,
    resetLink: 'Réinitialiser le mot de passe',
    confirmSubject: 'Confirmez votre adresse e-mail',
    confirm: `confirmez que vous souhaitez utiliser cette adresse e-mail chez ${store}. Si vous n’avez rien demandé, ignorez ce message.`,
    confirmLink: 'Confirmer l’adresse',
    changedSubject: 'Votre adresse e-mail a été modifiée',
    changed: `l’adresse e-mail de votre compte d’équipe chez ${store} a été modifiée et celle-ci ne donne plus accès. Si ce n’était pas vous, prévenez immédiatement un propriétaire de la boutique.`,
  },
  es: {
    inviteSubject: `Tiene una invitación de ${store}`,
    invite: `Le invitamos a unirse al equipo de ${store} como ${role}.`,
    acceptInvite: 'Aceptar la invitación',
    resetSubject: 'Restablezca su contraseña',
    reset: `Alguien, probablemente usted, quiere restablecer su contraseña de ${store}. Si no ha sido usted, ignore este correo.`,
    resetLink: 'Restablecer la contraseña',
    confirmSubject: 'Confirme su dirección de correo electrónico',
    confirm: `Confirme que quiere usar esta dirección de correo electrónico en ${store}. Si no lo ha solicitado, ignore este correo.`,
    confirmLink: 'Confirmar la dirección',
    changedSubject: 'Se ha cambiado su dirección de correo electrónico',
    changed: `Se ha cambiado la dirección de correo electrónico de su cuenta del equipo de ${store}, y esta ya no da acceso. Si no ha sido usted, avise de inmediato a un propietario de la tienda.`,
  },
  it: {
    inviteSubject: `Ha ricevuto un invito da ${store}`,
    invite: `È stato invitato a entrare nel team di ${store} come ${role}.`,
    acceptInvite: 'Accetta l’invito',
    resetSubject: 'Reimposti la sua password',
    reset: `qualcuno, probabilmente lei, vuole reimpostare la sua password per ${store}. In caso contrario, ignori questa e-mail.`,
    resetLink: 'Reimposta la password',
    confirmSubject: 'Confermi il suo indirizzo e-mail',
    confirm: `confermi di voler usare questo indirizzo e-mail presso ${store}. Se non l’ha richiesto, ignori questa e-mail.`,
    confirmLink: 'Conferma l’indirizzo',
    changedSubject: 'Il suo indirizzo e-mail è stato modificato',
    changed: `l’indirizzo e-mail del suo account del team di ${store} è stato modificato e questo non dà più accesso. Se non è stato lei, avvisi subito un proprietario del negozio.`,
  },
  nl: {
    inviteSubject: `U bent uitgenodigd voor ${store}`,
    invite: `U bent uitgenodigd om als ${role} bij het team van ${store} te komen.`,
    acceptInvite: 'Uitnodiging accepteren',
    resetSubject: 'Stel uw wachtwoord opnieuw in',
    reset: `Iemand, waarschijnlijk u, wil uw wachtwoord voor ${store} opnieuw instellen. Zo niet, negeer deze e-mail.`,
    resetLink: 'Wachtwoord opnieuw instellen',
    confirmSubject: 'Bevestig uw e-mailadres',
    confirm: `Bevestig dat u dit e-mailadres bij ${store} wilt gebruiken. Hebt u dit niet aangevraagd, negeer dan deze e-mail.`,
    confirmLink: 'Adres bevestigen',
    changedSubject: 'Uw e-mailadres is gewijzigd',
    changed: `Het e-mailadres van uw medewerkersaccount bij ${store} is gewijzigd; dit adres geeft geen toegang meer. Was u dit niet, waarschuw dan meteen een eigenaar van de winkel.`,
  },
  pl: {
    inviteSubject: `Masz zaproszenie do ${store}`,
    invite: `Zapraszamy do zespołu ${store} w roli: ${role}.`,
    acceptInvite: 'Przyjmij zaproszenie',
    resetSubject: 'Zresetuj hasło',
    reset: `ktoś, prawdopodobnie Ty, chce zresetować Twoje hasło w ${store}. Jeśli nie, zignoruj tę wiadomość.`,
    resetLink: 'Zresetuj hasło',
    confirmSubject: 'Potwierdź swój adres e-mail',
    confirm: `potwierdź, że chcesz używać tego adresu e-mail w ${store}. Jeśli to nie Ty o to prosisz, zignoruj tę wiadomość.`,
    confirmLink: 'Potwierdź adres',
    changedSubject: 'Twój adres e-mail został zmieniony',
    changed: `adres e-mail Twojego konta pracownika w ${store} został zmieniony i ten adres nie daje już dostępu. Jeśli to nie Ty, natychmiast powiadom właściciela sklepu.`,
  },
  ja: {
    inviteSubject: `${store} への招待`,
    invite: `${store} のスタッフ（${role}）として招待されました。`,
    acceptInvite: '招待を受ける',
    resetSubject: 'パスワードの再設定',
    reset: `${store} のパスワードの再設定が依頼されました。お心当たりがない場合は、このメールを無視してください。`,
    resetLink: 'パスワードを再設定する',
    confirmSubject: 'メールアドレスの確認',
    confirm: `${store} でこのメールアドレスを使用することを確認してください。お心当たりがない場合は、このメールを無視してください。`,
    confirmLink: 'アドレスを確認する',
    changedSubject: 'メールアドレスが変更されました',
    changed: `${store} のスタッフアカウントのメールアドレスが変更され、このアドレスではログインできなくなりました。お心当たりがない場合は、すぐにストアのオーナーに連絡してください。`,
  },
  ar: {
    inviteSubject: `دعوة للانضمام إلى ${store}`,
    invite: `أنت مدعو للانضمام إلى فريق ${store} بصفة ${role}.`,
    acceptInvite: 'قبول الدعوة',
    resetSubject: 'إعادة تعيين كلمة المرور',
    reset: `يريد شخص ما، ربما أنت، إعادة تعيين كلمة مرورك في ${store}. إن لم تكن أنت، فتجاهل هذه الرسالة.`,
    resetLink: 'إعادة تعيين كلمة المرور',
    confirmSubject: 'أكّد عنوان بريدك الإلكتروني',
    confirm: `أكّد أنك تريد استخدام عنوان البريد الإلكتروني هذا في ${store}. إن لم تطلب ذلك، فتجاهل هذه الرسالة.`,
    confirmLink: 'تأكيد العنوان',
    changedSubject: 'تم تغيير عنوان بريدك الإلكتروني',
    changed: `تم تغيير عنوان البريد الإلكتروني لحسابك ضمن فريق ${store}، ولم يعد هذا العنوان يتيح الدخول. إن لم تكن أنت من فعل ذلك، فأبلغ أحد مالكي المتجر فورًا.`,
  },
};
