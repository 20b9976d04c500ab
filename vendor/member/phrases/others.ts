/**
 * The phrases of mails about accounts in Polish, Japanese and Arabic.
 */
import type { InLanguages } from '@carton/runtime';
import type { AccountPhrases } from './phrases.ts';

export const others: Pick<InLanguages<AccountPhrases>, 'pl' | 'ja' | 'ar'> = {
  pl: {
    confirmSubject: 'Potwierdź swój adres e-mail w {{ store.name }}',
    register: 'potwierdź, że chcesz zarejestrować się w {{ store.name }} z tym adresem e-mail.',
    notRegistered: 'Jeśli to nie Twoja rejestracja, nie musisz nic robić: bez potwierdzenia konto nie powstanie.',
    confirmRegistration: 'Potwierdź rejestrację',
    alreadySubject: 'Masz już konto w {{ store.name }}',
    already:
      'ten adres e-mail podano dla kolejnego konta w {{ store.name }}. Masz już konto z tym adresem. Jeśli to Ty i nie pamiętasz hasła, poproś o link do jego zresetowania. W przeciwnym razie nie musisz nic robić: Twoje konto pozostaje bez zmian.',
    confirmAddress: 'potwierdź swój adres e-mail w {{ store.name }}.',
    nothing: 'Jeśli to nie Ty o to prosisz, nie musisz nic robić.',
    confirmLink: 'Potwierdź adres',
    newPasswordSubject: 'Ustaw nowe hasło w {{ store.name }}',
    newPassword: 'ustaw nowe hasło do swojego konta w {{ store.name }}.',
    passwordUnchanged: 'Jeśli to nie Ty o to prosisz, nie musisz nic robić: Twoje hasło pozostaje bez zmian.',
    newPasswordLink: 'Ustaw nowe hasło',
    setSubject: 'Ustaw swoje hasło w {{ store.name }}',
    setPassword:
      'Twój adres e-mail w {{ store.name }} został potwierdzony. Ustaw hasło do swojego konta: do tego czasu nikt nie może się zalogować.',
    ignore: 'Jeśli to nie Twoja rejestracja, nie musisz nic robić.',
    setLink: 'Ustaw hasło',
    changeSubject: 'Potwierdź swój nowy adres e-mail w {{ store.name }}',
    change:
      'potwierdź ten adres e-mail dla swojego konta w {{ store.name }} w przeglądarce, w której jesteś zalogowany.',
    changedSubject: 'Twój adres e-mail w {{ store.name }} został zmieniony',
    changed:
      'adres e-mail Twojego konta w {{ store.name }} został zmieniony. Jeśli to nie Ty, skontaktuj się ze sklepem.',
    welcomeSubject: 'Witamy w {{ store.name }}',
    welcome: 'Twoje konto w {{ store.name }} jest gotowe. Możesz zalogować się swoim adresem e-mail i hasłem.',
  },
  ja: {
    confirmSubject: '{{ store.name }}：メールアドレスの確認',
    register: 'このメールアドレスで {{ store.name }} に登録することをご確認ください。',
    notRegistered: '登録された覚えがない場合は、何もする必要はありません。確認がなければアカウントは作成されません。',
    confirmRegistration: '登録を確認する',
    alreadySubject: '{{ store.name }} のアカウントをすでにお持ちです',
    already:
      'このメールアドレスが {{ store.name }} の別のアカウントのために入力されましたが、このアドレスのアカウントはすでに存在します。ご本人が入力され、パスワードをお忘れの場合は、再設定用のリンクをご請求ください。それ以外の場合は、何もする必要はありません。アカウントに変更はありません。',
    confirmAddress: '{{ store.name }} でお使いのメールアドレスをご確認ください。',
    nothing: 'お心当たりがない場合は、何もする必要はありません。',
    confirmLink: 'アドレスを確認する',
    newPasswordSubject: '{{ store.name }}：新しいパスワードの設定',
    newPassword: '{{ store.name }} のアカウントの新しいパスワードを設定してください。',
    passwordUnchanged: 'お心当たりがない場合は、何もする必要はありません。パスワードに変更はありません。',
    newPasswordLink: '新しいパスワードを設定する',
    setSubject: '{{ store.name }}：パスワードの設定',
    setPassword:
      '{{ store.name }} でお使いのメールアドレスが確認されました。アカウントのパスワードを設定してください。設定されるまで、誰もログインできません。',
    ignore: '登録された覚えがない場合は、何もする必要はありません。',
    setLink: 'パスワードを設定する',
    changeSubject: '{{ store.name }}：新しいメールアドレスの確認',
    change: 'ログイン中のブラウザで、{{ store.name }} のアカウントに使用するこのメールアドレスをご確認ください。',
    changedSubject: '{{ store.name }}：メールアドレスが変更されました',
    changed:
      '{{ store.name }} のアカウントのメールアドレスが変更されました。お心当たりがない場合は、ストアにご連絡ください。',
    welcomeSubject: '{{ store.name }} へようこそ',
    welcome: '{{ store.name }} のアカウントの準備ができました。メールアドレスとパスワードでログインできます。',
  },
  ar: {
    confirmSubject: 'أكّد عنوان بريدك الإلكتروني في {{ store.name }}',
    register: 'يرجى تأكيد رغبتك في التسجيل في {{ store.name }} بعنوان البريد الإلكتروني هذا.',
    notRegistered: 'إذا لم تسجّل، فلا داعي لفعل أي شيء: بدون التأكيد لن يُنشأ أي حساب.',
    confirmRegistration: 'تأكيد التسجيل',
    alreadySubject: 'لديك حساب بالفعل في {{ store.name }}',
    already:
      'أُدخل عنوان البريد الإلكتروني هذا لحساب آخر في {{ store.name }}. لديك حساب به بالفعل. إذا كنت أنت من فعل ذلك ونسيت كلمة المرور، فاطلب رابطًا لإعادة تعيينها. وإلا فلا داعي لفعل أي شيء: لم يتغير حسابك.',
    confirmAddress: 'يرجى تأكيد عنوان بريدك الإلكتروني في {{ store.name }}.',
    nothing: 'إذا لم تطلب ذلك، فلا داعي لفعل أي شيء.',
    confirmLink: 'تأكيد العنوان',
    newPasswordSubject: 'عيّن كلمة مرور جديدة في {{ store.name }}',
    newPassword: 'عيّن كلمة مرور جديدة لحسابك في {{ store.name }}.',
    passwordUnchanged: 'إذا لم تطلب ذلك، فلا داعي لفعل أي شيء: لم تتغير كلمة مرورك.',
    newPasswordLink: 'تعيين كلمة مرور جديدة',
    setSubject: 'عيّن كلمة مرورك في {{ store.name }}',
    setPassword:
      'تم تأكيد عنوان بريدك الإلكتروني في {{ store.name }}. يرجى تعيين كلمة مرور حسابك: حتى ذلك الحين لا يمكن لأحد تسجيل الدخول.',
    ignore: 'إذا لم تسجّل، فلا داعي لفعل أي شيء.',
    setLink: 'تعيين كلمة المرور',
    changeSubject: 'أكّد عنوان بريدك الإلكتروني الجديد في {{ store.name }}',
    change: 'يرجى تأكيد عنوان البريد الإلكتروني هذا لحسابك في {{ store.name }}، في المتصفح الذي سجّلت الدخول فيه.',
    changedSubject: 'تم تغيير عنوان بريدك الإلكتروني في {{ store.name }}',
    changed:
      'تم تغيير عنوان البريد الإلكتروني لحسابك في {{ store.name }}. إن لم تكن أنت من فعل ذلك، فيرجى التواصل مع المتجر.',
    welcomeSubject: 'مرحبًا بك في {{ store.name }}',
    welcome: 'حسابك في {{ store.name }} جاهز. يمكنك تسجيل الدخول بعنوان بريدك الإلكتروني وكلمة مرورك.',
  },
};
