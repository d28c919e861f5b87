package shop;

public final class Coupon {
    private final String code;
    private final int percent;

    public Coupon(String code, int percent) {
        this.code = code;
        this.percent = percent;
    }
}
