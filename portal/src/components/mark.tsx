/** The product's logo. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 20 20" aria-hidden>
      <defs>
        <linearGradient id="mark" x1="0" y1="0" x2="1" y2="1">
          <stop stopColor="#2c55d6" />
          <stop offset="1" stopColor="#6f8dff" />
        </linearGradient>
      </defs>
      <rect width="20" height="20" rx="6" fill="url(#mark)" />
      <path d="M6 10.400l2.600 2.600L14 7.600" fill="none" stroke="#fff" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
