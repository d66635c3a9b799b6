import { useEffect, useRef, useState } from 'preact/hooks';
import { setQuery, useAddress } from '../../lib/router.js';

/** Pause in typing before a search. Longer for an upstream, whose requests are limited. */
const pauseMs = { index: 160, upstream: 600 } as const;

/**
 * Text of the search field (`typed`), and the text of the search (`words`, `q` in the URL). `index` searches in the service
 * itself; `upstream` may query the provider.
 */
export const useWords = (asks: keyof typeof pauseMs) => {
  const { query } = useAddress();
  const words = (query.get('q') ?? '').trim();
  const [typed, setTyped] = useState(words);
  const asked = useRef(words);
  useEffect(() => {
    // Back and forward change the URL without typing. Our own change must not overwrite newer text.
    if (words !== asked.current) setTyped(words);
    asked.current = words;
  }, [words]);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === words) return;
    const timer = setTimeout(() => {
      asked.current = wanted;
      setQuery({ q: wanted, page: undefined }, { replace: words !== '' });
    }, pauseMs[asks]);
    return () => clearTimeout(timer);
  }, [typed]);
  return { words, typed, type: setTyped };
};
