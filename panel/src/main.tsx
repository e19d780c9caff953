import { loadLanguage } from './language/choice.ts';
import './styles.css';

// Loads the language first, because the modules of the panel contain texts as constants.
await loadLanguage();
await import('./start.tsx');
