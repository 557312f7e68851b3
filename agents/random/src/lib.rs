//! Plays any legal action, each as likely.
