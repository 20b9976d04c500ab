import t from 'tap';

t.plan(0, 'a program is not installed');
