import type { page as english } from '../en/page.ts';

export const page: Record<keyof typeof english, string> = {
  skip: 'Aller au contenu',
  where_checkout: 'Commande',
  where_order: 'Votre commande',
  where_account: 'Votre compte',
  where_consent: 'Autorisation',
  where_legal: 'Informations légales',
  where_withdraw: 'Rétractation',
  where_server: 'Commerce backend',
  mistake: 'Erreur :',
  mistake_title: 'Erreur : {title}',
  optional: '(facultatif)',

  not_found: 'Ce lien n’est pas valide',
  not_found_text:
    'Il a peut-être été tronqué ou mal recopié. Ouvrez-le de nouveau depuis le message dans lequel vous l’avez reçu.',
  site_suspended: 'Cette boutique est fermée pour le moment',
  site_suspended_text:
    'Vous ne pouvez rien commander ni consulter ici pour l’instant. Les commandes existantes ne sont pas concernées : pour toute question, adressez-vous à la boutique.',
  site_moved: 'Cette boutique change de serveur',
  site_moved_text:
    'Elle sera de nouveau accessible dans quelques minutes. Les commandes existantes ne sont pas concernées.',
  rate_limited: 'Trop de tentatives',
  rate_limited_text: 'Patientez une minute, puis revenez en arrière et réessayez. Rien n’est perdu.',
  form_unreadable: 'Le formulaire n’a pas pu être lu',
  form_unreadable_text: 'Revenez en arrière, rechargez la page et envoyez de nouveau le formulaire.',
  form_too_long: 'Le formulaire est trop long',
  form_too_long_text: 'Revenez en arrière, raccourcissez votre texte et envoyez-le de nouveau.',
  web_page: 'Ceci est une page web',
  web_page_text: 'Ouvrez-la dans un navigateur.',
  unavailable: 'Un instant, s’il vous plaît',
  unavailable_text:
    'La boutique n’est pas disponible pour le moment. Revenez en arrière et réessayez dans quelques secondes.',
  internal_error: 'Une erreur s’est produite de notre côté',
  internal_error_text: 'Revenez en arrière et réessayez.',
  foreign_form: 'Merci d’envoyer de nouveau le formulaire',
  foreign_form_text:
    'Pour votre sécurité, un formulaire ne peut être envoyé que depuis la page où il vous a été affiché, et pendant un jour seulement.\nRevenez en arrière, rechargez la page et envoyez de nouveau le formulaire. Si le problème persiste, autorisez les cookies pour ce site.',

  login_mistakes: 'Vous n’êtes pas encore connecté',
  login_email: 'Adresse e-mail',
  login_password: 'Mot de passe',
  login_button: 'Se connecter',
  login_hint: 'Avec votre compte chez {shop}. Seule la boutique voit le mot de passe.',
  login_no_email: 'Saisissez votre adresse e-mail.',
  login_no_password: 'Saisissez votre mot de passe.',
  login_wrong: 'L’adresse e-mail ou le mot de passe est incorrect, ou l’adresse n’est pas encore confirmée.',
  log_out: 'Se déconnecter',

  terms: 'Conditions générales',
  privacy: 'Confidentialité',
  withdrawal: 'Rétractation',
  imprint: 'Mentions légales',
  to_start: 'Aller à la page d’accueil',
  to_account: 'Votre compte chez {shop}',
  ask_shop: 'Une question ? Écrivez à',
  back_to_shop: 'Retour à {shop}',
};
