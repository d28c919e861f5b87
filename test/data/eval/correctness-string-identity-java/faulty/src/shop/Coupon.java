package shop;

public final class Coupon {
    private final String code;
    private final int percent;

    public Coupon(String code, int percent) {
        this.code = code;
        this.percent = percent;
    }

    /** The price in cents after the discount; the code is what the customer typed. */
    public int apply(int cents, String typed) {
        if (typed == null || typed.trim() != code) {
            return cents;
        }
        return cents - cents * percent / 100;
    }
}
