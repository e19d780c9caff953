import type { access as english } from '../en/access.ts';

export const access: Record<keyof typeof english, string> = {
  check: 'Vérifiez ces champs',
  sent: 'Consultez votre boîte de réception',
  back: 'Retour à la connexion',

  forgot: 'Mot de passe oublié ?',
  forgot_title: 'Demander un nouveau mot de passe',
  forgot_why:
    'Saisissez l’adresse e-mail de votre compte chez {shop}. Nous vous enverrons un lien pour choisir un nouveau mot de passe.',
  forgot_button: 'Envoyer le lien',
  forgot_sent_text:
    'S’il existe un compte chez {shop} avec cette adresse, un e-mail contenant un lien est en route. Ce lien est valable {life}.\nPas d’e-mail au bout de quelques minutes ? Regardez dans vos courriers indésirables et vérifiez l’adresse saisie.',

  register: 'Créer un compte',
  register_why: 'Avec un compte chez {shop}, vous retrouvez vos commandes et commandez à nouveau en quelques clics.',
  register_button: 'Créer le compte',
  register_after: 'Nous vous enverrons un e-mail. Le lien qu’il contient active le compte.',
  register_sent_text:
    'Nous vous avons envoyé un e-mail. Ouvrez le lien qu’il contient pour activer votre compte chez {shop}, puis connectez-vous. Ce lien est valable {life}.\nPas d’e-mail au bout de quelques minutes ? Regardez dans vos courriers indésirables et vérifiez l’adresse saisie.',
  have_account: 'J’ai déjà un compte',
};
