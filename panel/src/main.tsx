import { loadLanguage } from './language/choice.ts';
import './styles.css';

// The modules of the panel contain texts as constants, so the language is loaded first.
await loadLanguage();
await import('./start.tsx');
